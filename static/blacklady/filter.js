// Choices below a field: it shows those whose name has what was entered, and the chosen ones.
"use strict";

for (const field of document.querySelectorAll("[data-filters]")) {
  const choices = document.getElementById(field.dataset.filters).querySelectorAll("label");
  field.parentElement.hidden = false;
  field.addEventListener("input", () => {
    const words = searchWords(field.value);
    for (const choice of choices) {
      const texts = spellings(choice.textContent);
      const isFound = words.every((ways) => ways.some((way) => texts.some((text) => text.includes(way))));
      choice.hidden = !isFound && !choice.control.checked;
    }
  });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
}
