// Shows the address that a name proposes while it is typed, until a person writes one of their own.
// Without it the field may be left empty: the server makes the address from the name.
"use strict";

(() => {
  const form = document.querySelector("form[data-propose]");
  if (!form) return;
  const [name, slug] = [form.elements.name, form.elements.slug];
  let isOwn = slug.value !== "";

  const proposed = (text) =>
    text
      .toLowerCase()
      .replaceAll("ß", "ss")
      .replace(/[øłđðæœı]/g, (letter) => ({ ø: "o", ł: "l", đ: "d", ð: "d", æ: "ae", œ: "oe", ı: "i" })[letter])
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 56)
      .replace(/^-|-$/g, "");

  slug.addEventListener("input", () => {
    isOwn = slug.value !== "";
  });
  name.addEventListener("input", () => {
    if (!isOwn) slug.placeholder = proposed(name.value);
  });
})();
