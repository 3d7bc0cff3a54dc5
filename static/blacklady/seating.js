// Drags a player on the seating page: onto another player picks both, onto a table picks the player
// alone, onto the waiting list takes the player out of the round. Nothing changes before the choices
// are shown and one is taken. Picking by tap or key and the buttons below do the same. Whoever moves
// with a picked player, as a partner, is marked.
"use strict";

(() => {
  const form = document.querySelector("form[data-drag]");
  if (!form) return;
  let dragged = null;

  const boxOf = (label) => label.querySelector("input[name=seat]");

  function targetOf(event) {
    if (!dragged) return null;
    const label = event.target.closest(".pick label");
    if (label && label !== dragged && boxOf(label)) return label;
    const section = event.target.closest(".pick section");
    return section && !section.contains(dragged) ? section : null;
  }

  function mark(target) {
    for (const one of form.querySelectorAll(".drop")) one.classList.remove("drop");
    if (target) target.classList.add("drop");
  }

  for (const label of form.querySelectorAll(".pick label")) {
    if (boxOf(label)) label.draggable = true;
  }
  const hint = document.querySelector("[data-drag-hint]");
  if (hint) hint.hidden = !matchMedia("(pointer: fine)").matches;

  function markSides() {
    const boxes = [...form.querySelectorAll("input[name=seat][data-side]")];
    const picked = boxes.filter((box) => box.checked).map((box) => box.dataset.side);
    for (const box of boxes) {
      const moves = !box.checked && picked.includes(box.dataset.side);
      box.closest("label").classList.toggle("with", moves);
    }
  }

  form.addEventListener("change", markSides);
  markSides();

  form.addEventListener("dragstart", (event) => {
    const label = event.target.closest(".pick label");
    if (!label || !boxOf(label)) return;
    dragged = label;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", boxOf(label).value);
  });
  form.addEventListener("dragover", (event) => {
    const target = targetOf(event);
    mark(target);
    if (target) event.preventDefault();
  });
  form.addEventListener("dragend", () => {
    dragged = null;
    mark(null);
  });
  form.addEventListener("drop", (event) => {
    const target = targetOf(event);
    if (!target) return;
    event.preventDefault();
    for (const box of form.querySelectorAll("input[name=seat]")) box.checked = false;
    boxOf(dragged).checked = true;
    if (target.matches("label")) boxOf(target).checked = true;
    const leaves = target.matches("section.out");
    form.requestSubmit(form.querySelector(leaves ? "[name=as][value=leave]" : "[data-show]"));
  });
})();
