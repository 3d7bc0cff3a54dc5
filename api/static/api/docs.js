"use strict";

// The page's policy allows no inline script, so the reference is started from here.
const place = document.getElementById("reference");

window.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.schema,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
