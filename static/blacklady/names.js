// Names to search for: the spellings of a text, as `spellings` of tournaments/domain/name_matching.py has them.
"use strict";

self.spellings = (text) => {
  const inTwo = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };
  const plain = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ŋ: "n" };
  const small = text.replace(/['’‘‛ʼʻʹʾʿ`´′＇]/g, "").replace(/[‐‑‒–—−]/g, "-").normalize("NFKC").toLowerCase().replaceAll("ß", "ss");
  const umlauts = /(?<=[\p{L}\p{N}])[äöüøå]|[äöüøå](?=[\p{L}\p{N}])/gu;
  return [small.replace(umlauts, (letter) => inTwo[letter]), small].map((letters) =>
    letters.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[øłđðþæœıŋ]/g, (letter) => plain[letter]).normalize("NFC").trim());
};
// The words of a text to search for, each with its spellings.
self.searchWords = (text) => text.split(/[\s,]+/).filter(Boolean).map(self.spellings);
