// Chooses the time zone of this device in a new form. Without it the server's is proposed.
"use strict";

(() => {
  const field = document.querySelector("select[data-zone-of-browser]");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!field || !zone) return;
  // Some browsers report a former name, which the list leaves out.
  if (![...field.options].some((one) => one.value === zone)) field.add(new Option(zone, zone));
  field.value = zone;
})();
