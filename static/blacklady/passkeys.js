// Around allauth's own scripts: shows what only a browser with passkeys can do, and says in the
// page what went wrong. Loaded after them, on pages that sign in by passkey or add one.
"use strict";

const failed = document.getElementById("passkey_failed");
const missing = document.getElementById("passkey_missing");

if (window.PublicKeyCredential) {
  document.querySelectorAll("[data-passkey]").forEach((part) => { part.hidden = false; });
} else if (missing && !document.querySelector("[data-passkey]")) {
  missing.hidden = false;
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  if (failed) {
    failed.hidden = false;
    failed.scrollIntoView({ block: "nearest" });
  }
});
