"use strict";
// Light or dark: as the system has it until the reader says otherwise. The
// choice is kept where the browser lets pages keep something.
(function () {
  var names = { auto: "automatic", light: "light", dark: "dark" };
  var order = ["auto", "light", "dark"];
  var now = "auto";
  try { now = localStorage.getItem("versweep-colours") || "auto"; } catch (e) { /* not kept */ }
  if (!names[now]) now = "auto";
  function show() {
    if (now === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", now);
    var button = document.getElementById("theme");
    if (button) button.textContent = "Colours: " + names[now];
  }
  show();
  document.addEventListener("DOMContentLoaded", function () {
    var button = document.getElementById("theme");
    button.hidden = false;
    show();
    button.addEventListener("click", function () {
      now = order[(order.indexOf(now) + 1) % order.length];
      try { localStorage.setItem("versweep-colours", now); } catch (e) { /* not kept */ }
      show();
    });
  });
})();
