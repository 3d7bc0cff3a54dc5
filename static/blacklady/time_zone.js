// Chooses the time zone of this device in a new form. Without it the server's is proposed.
"use strict";

(() => {
  const field = document.querySelector("select[data-zone-of-browser]");
  if (!field) return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...field.options].some((one) => one.value === zone)) field.value = zone;
})();
