// Shows the numbers of the mark nearest to the pointer. Owns no data: they are the titles of the marks, which browsers
// show by themselves where scripts are off.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg", REACH = 40, PAGE = 1200;
  var tip = document.getElementById("tip");

  function hide(picture) {
    tip.hidden = true;
    picture.ring.setAttribute("visibility", "hidden");
    picture.at = -1;
  }

  function show(picture, index, left, top) {
    var spot = picture.spots[index];
    tip.textContent = spot.text;
    tip.hidden = false;
    var box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(left + 14, window.innerWidth - box.width - 4)) + "px";
    tip.style.top = Math.max(4, top + 14 + box.height > window.innerHeight ? top - 14 - box.height : top + 14) + "px";
    ["x", "y", "width", "height"].forEach(function (name) { picture.ring.setAttribute(name, spot[name]); });
    picture.ring.setAttribute("visibility", "visible");
    picture.at = index;
  }

  // The spot whose rectangle is nearest; of several that hold the pointer, the one whose middle is.
  function nearest(picture, x, y) {
    var best = -1, least = Infinity;
    picture.spots.forEach(function (spot, index) {
      var dx = Math.max(spot.x - x, 0, x - spot.x - spot.width), dy = Math.max(spot.y - y, 0, y - spot.y - spot.height);
      var outside = Math.hypot(dx, dy);
      var middle = Math.hypot(spot.x + spot.width / 2 - x, spot.y + spot.height / 2 - y);
      if (outside <= REACH && outside + middle * 1e-3 < least) { least = outside + middle * 1e-3; best = index; }
    });
    return best;
  }

  function point(picture, event) {
    var box = picture.svg.getBoundingClientRect(), scale = PAGE / box.width;
    var found = nearest(picture, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    if (found < 0) { hide(picture); } else { show(picture, found, event.clientX, event.clientY); }
  }

  function walk(picture, event) {
    if (event.key === "Escape") { hide(picture); return; }
    var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], count = picture.spots.length;
    if (!step || !count) { return; }
    event.preventDefault();
    var index = picture.at < 0 ? (step > 0 ? 0 : count - 1) : (picture.at + step + count) % count;
    var box = picture.svg.getBoundingClientRect(), spot = picture.spots[index], scale = box.width / PAGE;
    show(picture, index, box.left + (spot.x + spot.width / 2) * scale, box.top + (spot.y + spot.height / 2) * scale);
  }

  document.querySelectorAll("figure svg").forEach(function (svg) {
    var picture = { svg: svg, at: -1, spots: [] };
    svg.querySelectorAll(".spot").forEach(function (element) {
      var title = element.firstChild, spot = { text: title.textContent };
      ["x", "y", "width", "height"].forEach(function (name) { spot[name] = Number(element.getAttribute(name)); });
      // The browser's own tip would cover ours.
      element.removeChild(title);
      picture.spots.push(spot);
    });
    picture.ring = document.createElementNS(SVG, "rect");
    picture.ring.setAttribute("class", "ring");
    picture.ring.setAttribute("visibility", "hidden");
    svg.querySelector(".spots").appendChild(picture.ring);
    svg.addEventListener("pointermove", function (event) { point(picture, event); });
    svg.addEventListener("pointerdown", function (event) { point(picture, event); });
    svg.addEventListener("pointerleave", function () { hide(picture); });
    svg.addEventListener("blur", function () { hide(picture); });
    svg.addEventListener("keydown", function (event) { walk(picture, event); });
  });

  // On paper nothing can be unfolded.
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (element) { element.open = true; });
  });
})();
