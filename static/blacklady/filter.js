// Choices below a field: it shows those whose name has what was entered, and the chosen ones.
"use strict";

for (const field of document.querySelectorAll("[data-filters]")) {
  const letters = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const choices = document.getElementById(field.dataset.filters).querySelectorAll("label");
  field.parentElement.hidden = false;
  field.addEventListener("input", () => {
    const wanted = letters(field.value);
    for (const choice of choices) choice.hidden = !letters(choice.textContent).includes(wanted) && !choice.control.checked;
  });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
}
