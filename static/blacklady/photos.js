// A photo is made smaller before it is sent: a bad signal carries half a megabyte, not ten. Whatever
// goes wrong here, the file goes as it is and the server does the same.
"use strict";

(() => {
  const LONGEST = 2400;

  async function smaller(file) {
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
    if (!blob || blob.size >= file.size) return file;
    return new File([blob], file.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
  }

  // A form that has a file to send says so; without one it stays as the phone's outbox keeps it.
  // Without a signal the numbers go into the outbox, and the photo waits in the phone.
  function sendFiles(field) {
    const is_sent = field.files.length > 0 && navigator.onLine;
    field.form.enctype = is_sent ? "multipart/form-data" : "application/x-www-form-urlencoded";
    const said = field.form.querySelector("[data-no-signal]");
    if (said) said.hidden = is_sent || field.files.length === 0;
  }

  const ofHand = document.querySelector(".desk-form input[data-photo]");
  if (ofHand) document.addEventListener("submit", () => sendFiles(ofHand), true);

  // What only a signal can send stays on the screen without one: a browser would put its own page
  // there, and the chosen files would be gone.
  document.addEventListener("submit", (event) => {
    const said = event.target.querySelector("[data-needs-signal]");
    if (!said) return;
    said.hidden = navigator.onLine;
    if (!navigator.onLine) event.preventDefault();
  });

  // Beside the form there is room for them.
  if (matchMedia("(min-width: 64rem)").matches) {
    for (const photos of document.querySelectorAll("details[data-wide]")) photos.open = true;
  }

  document.addEventListener("change", async (event) => {
    const field = event.target;
    if (!field.matches("input[data-photo]")) return;
    sendFiles(field);
    const chosen = [...field.files];
    const made = await Promise.all(chosen.map((file) => smaller(file).catch(() => file)));
    const isSame = field.files.length === chosen.length && chosen.every((file, at) => field.files[at] === file);
    if (!isSame || made.every((file, at) => file === chosen[at])) return;
    const files = new DataTransfer();
    for (const file of made) files.items.add(file);
    field.files = files.files;
    field.dataset.photo = "smaller";
  });
})();
