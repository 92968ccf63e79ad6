"use strict";
// The trend to explore: draws what the element #trend-data holds, as charts.Trend
// does, and lets readers choose the metric, the lines of releases and the part
// of the axis. Everything that a pointer can do, keys can do as well.
(function () {
  var source = document.getElementById("trend-data");
  if (!source) return;
  var data = JSON.parse(source.textContent);
  var byId = function (id) { return document.getElementById("trend-" + id); };
  var box = byId("picture");
  var n = data.names.length;
  var state = { metric: 0, from: 0, to: n - 1, off: {}, at: n - 1 };
  var view = null; // what was drawn last
  var mostCallouts = 12; // changes whose size is written, the largest first
  var pen = document.createElement("canvas").getContext("2d");
  pen.font = "12px system-ui, \"Liberation Sans\", Arial, sans-serif";

  var lineOf = [];
  data.lines.forEach(function (line, l) { for (var i = line.from; i < line.to; i++) lineOf[i] = l; });

  function make(name, attributes, parent, text) {
    var e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (var key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }
  function html(name, parent, text, kind) {
    var e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    parent.appendChild(e);
    return e;
  }
  function width(text) { return pen.measureText(text).width; }
  function round(v) { return Math.round(v * 10) / 10; }

  // The axes.

  function digits(step) {
    var power = Math.floor(Math.log10(step) + 1e-9);
    var places = Math.max(0, -power);
    if (Math.abs(step / Math.pow(10, power) - 2.5) < 1e-6 && power < 1) places++;
    return Math.min(places, 12);
  }
  function figure(v, places) {
    return v.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
  }
  function linearAxis(lo, hi) {
    if (hi - lo <= Math.abs(hi) * 1e-6) { lo -= Math.abs(lo) * 0.05 || 0.5; hi += Math.abs(hi) * 0.05 || 0.5; }
    var rough = (hi - lo) / 6, power = Math.pow(10, Math.floor(Math.log10(rough)));
    var step = [1, 2, 2.5, 5, 10].filter(function (d) { return d * power >= rough * (1 - 1e-9); })[0] * power;
    var first = Math.floor(lo / step + 1e-9), last = Math.ceil(hi / step - 1e-9), ticks = [];
    for (var i = first; i <= last; i++) ticks.push({ v: i * step, text: figure(i * step, digits(step)) });
    return { lo: first * step, hi: last * step, ticks: ticks, share: function (v) { return (v - this.lo) / (this.hi - this.lo); } };
  }
  function logAxis(lo, hi) {
    var value = function (i) { return [1, 2, 5][((i % 3) + 3) % 3] * Math.pow(10, Math.floor(i / 3)); };
    var from = Math.floor(Math.log10(lo)) * 3 - 1, to = Math.ceil(Math.log10(hi)) * 3 + 1;
    while (value(from + 1) <= lo * (1 + 1e-9)) from++;
    while (value(to - 1) >= hi * (1 - 1e-9)) to--;
    if (from === to) { from--; to++; }
    var every = to - from > 8 ? 3 : 1, ticks = [];
    for (var i = from; i <= to; i++) {
      if (every === 1 || i % 3 === 0) ticks.push({ v: value(i), text: figure(value(i), Math.min(12, Math.max(0, -Math.floor(i / 3)))) });
    }
    var a = Math.log10(value(from)), z = Math.log10(value(to));
    return { lo: value(from), hi: value(to), ticks: ticks, share: function (v) { return (Math.log10(Math.max(v, this.lo)) - a) / (z - a); } };
  }

  function shownVersions() {
    var list = [];
    for (var i = state.from; i <= state.to; i++) if (!state.off[lineOf[i]]) list.push(i);
    return list;
  }

  function draw() {
    var focused = box.contains(document.activeElement);
    var metric = data.metrics[state.metric];
    var log = byId("log").checked, zero = byId("zero").checked;
    byId("zero").disabled = log;
    hideTip();
    box.textContent = "";
    var seen = shownVersions();
    announce(metric, seen);
    if (seen.indexOf(state.at) < 0) state.at = seen.length ? seen[seen.length - 1] : -1;
    if (!seen.length) { view = null; html("p", box, "No line of releases is chosen."); legend(metric, seen, false); return; }

    var place = {};
    seen.forEach(function (i, k) { place[i] = k; });
    // Where a place on the whole axis, such as 2.5, is among the versions shown.
    function among(at) {
      if (place[at] !== undefined) return place[at];
      return seen.filter(function (i) { return i < at; }).length - 0.5;
    }
    function point(i) {
      var p = metric.points[i];
      return p && (!log || p.m > 0) ? p : null;
    }

    // The value axis.
    var lo = Infinity, hi = -Infinity;
    function take(p) {
      if (!p) return;
      lo = Math.min(lo, log && p.lo <= 0 ? p.m : p.lo);
      hi = Math.max(hi, p.hi);
    }
    seen.forEach(function (i) { take(point(i)); });
    if (place[metric.ref] !== undefined && metric.twin && (!log || metric.twin.m > 0)) take(metric.twin);
    var any = hi >= lo;
    if (!any) { lo = log ? 1 : 0; hi = log ? 10 : 1; }
    var y = log ? logAxis(lo, hi) : linearAxis(zero ? Math.min(0, lo) : lo, zero ? Math.max(0, hi) : hi);
    if (!log && zero && lo === 0 && hi === 0) y = linearAxis(0, 1);

    // Room.
    var W = Math.max(280, box.clientWidth || 800), H = W < 560 ? 320 : 440;
    var left = Math.ceil(Math.max.apply(null, y.ticks.map(function (t) { return width(t.text); }))) + 14;
    var right = 14, top = data.banded ? 44 : 26, bottom = 44;
    var w = W - left - right, h = H - top - bottom, part = w / seen.length;
    var X = function (k) { return left + (k + 0.5) * part; };
    var Y = function (v) { return top + h * (1 - Math.min(Math.max(y.share(v), 0), 1)); };

    var unit = metric.title + (metric.unit ? " (" + metric.unit + ")" : "") + (log ? ", log scale" : !zero && y.lo > 0 ? ", not from zero" : "");
    var svg = make("svg", { viewBox: "0 0 " + W + " " + H, height: H, role: "group", "aria-label": unit + " by version, " + seen.length + " versions; arrow keys move between them" }, box);
    make("text", { x: 4, y: 14, "class": "title" }, svg, unit);

    // Ground: lines of releases, grid, noise, reference, levels.
    if (data.banded) drawBands(svg, seen, X, part, top, h);
    y.ticks.forEach(function (t) {
      make("line", { "class": "grid", x1: left, x2: W - right, y1: round(Y(t.v)), y2: round(Y(t.v)) }, svg);
      make("text", { x: left - 8, y: round(Y(t.v) + 4), "text-anchor": "end" }, svg, t.text);
    });
    var ref = metric.ref >= 0 ? point(metric.ref) : null;
    if (ref && metric.noise) {
      var high = Y(ref.m * (1 + metric.noise)), low = Y(ref.m * (1 - metric.noise));
      make("rect", { "class": "noise", x: left, width: w, y: round(high), height: round(Math.max(low - high, 1)) }, svg);
    }
    if (ref) make("line", { "class": "ref", x1: left, x2: W - right, y1: round(Y(ref.m)), y2: round(Y(ref.m)) }, svg);
    (metric.levels || []).forEach(function (l) {
      var a = seen.filter(function (i) { return i < l.from; }).length, b = seen.filter(function (i) { return i < l.to; }).length - 1;
      if (b >= a && (!log || l.v > 0)) make("line", { "class": "level", x1: round(X(a) - part * 0.45), x2: round(X(b) + part * 0.45), y1: round(Y(l.v)), y2: round(Y(l.v)) }, svg);
    });
    make("line", { "class": "axis", x1: left, x2: W - right, y1: top + h, y2: top + h }, svg);
    (metric.seams || []).forEach(function (s) {
      var x = X(among(s));
      if (x < left || x > W - right) return;
      make("line", { "class": "seam", x1: round(x), x2: round(x), y1: top, y2: top + h }, svg);
    });

    drawJoins(svg, seen, point, X, Y);
    var marks = drawVersions(svg, metric, seen, point, X, Y, part, top + h);
    if (ref && metric.twin && place[metric.ref] !== undefined && (!log || metric.twin.m > 0)) {
      var tx = X(place[metric.ref]) + Math.min(8, part * 0.4);
      make("line", { "class": "twinbar", x1: round(tx), x2: round(tx), y1: round(Y(metric.twin.lo)), y2: round(Y(metric.twin.hi)) }, svg);
      make("path", { "class": "twin", d: "M" + round(tx) + " " + round(Y(metric.twin.m) - 4.5) + "l4.5 4.5l-4.5 4.5l-4.5 -4.5z" }, svg);
    }
    drawSteps(svg, metric, seen, among, point, X, Y, { left: left, right: W - right, top: top, bottom: top + h });
    drawNames(svg, metric, seen, place, X, part, top + h, W);
    var drag = make("rect", { "class": "drag", y: top, height: h, width: 0, x: 0, visibility: "hidden" }, svg);

    view = { svg: svg, seen: seen, place: place, X: X, Y: Y, part: part, left: left, right: W - right, marks: marks, drag: drag, metric: metric, point: point, foot: top + h };
    legend(metric, seen, any);
    byId("in").disabled = seen.length < 3;
    byId("out").disabled = byId("reset").disabled = state.from === 0 && state.to === n - 1;
    if (focused && marks[state.at]) marks[state.at].focus();
  }

  function drawBands(svg, seen, X, part, top, h) {
    var edge = -Infinity;
    var bands = [];
    seen.forEach(function (i, k) {
      var last = bands[bands.length - 1];
      if (last && last.line === lineOf[i]) last.to = k;
      else bands.push({ line: lineOf[i], from: k, to: k });
    });
    bands.forEach(function (b) {
      if (b.line % 2 === 0) make("rect", { "class": "band", x: round(X(b.from) - part / 2), width: round((b.to - b.from + 1) * part), y: top - 18, height: h + 18 }, svg);
    });
    bands.slice().reverse().forEach(function (b) { b.wide = width(data.lines[b.line].name); });
    bands.forEach(function (b) {
      var x = X(b.from) - part / 2 + 3, room = (b.to - b.from + 1) * part - 4;
      if (b.wide <= room && x > edge) {
        make("text", { x: round(x), y: top - 5, "class": "n" + b.line % 4 }, svg, data.lines[b.line].name);
        edge = x + b.wide + 4;
      }
    });
  }

  function tint(i) { return data.banded ? lineOf[i] % 4 : 0; }

  function drawJoins(svg, seen, point, X, Y) {
    var run = [], tone = 0;
    function end() {
      if (run.length > 1) make("polyline", { "class": "join c" + tone, points: run.join(" ") }, svg);
      run = [];
    }
    seen.forEach(function (i, k) {
      var p = point(i);
      if (!p || (run.length && data.banded && lineOf[seen[k - 1]] !== lineOf[i])) end();
      if (!p) return;
      tone = tint(i);
      run.push(round(X(k)) + "," + round(Y(p.m)));
    });
    end();
  }

  // Each version is a link to its page, and the arrow keys go from one to another.
  function drawVersions(svg, metric, seen, point, X, Y, part, foot) {
    var radius = Math.min(Math.max(part * 0.3, 1.2), 4), marks = {};
    seen.forEach(function (i, k) {
      var p = point(i), x = X(k);
      var a = make("a", { "class": "point", href: data.links[i], tabindex: i === state.at ? 0 : -1, "aria-label": telling(metric, i).join("; "), draggable: "false" }, svg);
      if (p) {
        make("line", { "class": "bar c" + tint(i), x1: round(x), x2: round(x), y1: round(Y(p.lo)), y2: round(Y(p.hi)) }, a);
        make("circle", { "class": "ring", cx: round(x), cy: round(Y(p.m)), r: radius + 4 }, a);
        make("circle", { "class": "dot c" + tint(i) + (data.degraded[i] ? " hollow" : ""), cx: round(x), cy: round(Y(p.m)), r: radius }, a);
      } else {
        var d = data.failures[i] ? "M" + round(x - 4) + " " + (foot - 4) + "l8 8m0 -8l-8 8" : "M" + round(x) + " " + foot + "v-8";
        make("circle", { "class": "ring", cx: round(x), cy: foot, r: 9 }, a);
        make("path", { "class": "cross", d: d }, a);
      }
      marks[i] = a;
    });
    return marks;
  }

  function drawSteps(svg, metric, seen, among, point, X, Y, area) {
    var taken = [];
    seen.forEach(function (i, k) {
      var p = point(i);
      if (p) taken.push({ x: X(k) - 5, w: 10, y: Y(p.hi) - 4, h: Y(p.lo) - Y(p.hi) + 8 });
    });
    function free(b) {
      return b.x >= area.left && b.x + b.w <= area.right && b.y >= area.top && b.y + b.h <= area.bottom && !taken.some(function (t) {
        return b.x < t.x + t.w && t.x < b.x + b.w && b.y < t.y + t.h && t.y < b.y + b.h;
      });
    }
    var steps = (metric.steps || []).filter(function (s) {
      return s.at > seen[0] - 0.6 && s.at < seen[seen.length - 1] + 0.6;
    });
    steps.forEach(function (s) {
      s.x = X(among(s.at)); s.y = Y(s.v);
      if (s.creep) {
        var a = metric.points[s.from], b = metric.points[s.to];
        if (a && b) make("line", { "class": "creep", x1: round(X(among(s.from))), y1: round(Y(a.m)), x2: round(X(among(s.to))), y2: round(Y(b.m)) }, svg);
      }
      if (s.z > s.a) {
        var from = X(among(s.a)), to = X(among(s.z));
        make("path", { "class": "place", d: "M" + round(from) + " " + round(s.y - 3) + "v6m0 -3H" + round(to) + "m0 -3v6" }, svg);
      }
    });
    steps.forEach(function (s) {
      var known = s.state === "acknowledged" || s.state === "expected", kind = known ? "" : s.verdict === "regression" ? " worse" : s.verdict === "improvement" ? " better" : "";
      if (s.state === "recovered") kind = " over";
      var shape = { regression: "m0 -6l6 10.5h-12z", improvement: "m-4.5 -4.5h9v9h-9z" }[s.verdict] || "m0 -6l6 6l-6 6l-6 -6z";
      make("path", { "class": "change" + kind, d: "M" + round(s.x) + " " + round(s.y) + shape }, svg);
      taken.push({ x: s.x - 6, w: 12, y: s.y - 6, h: 12 });
    });
    steps.slice().sort(function (a, b) { return (a.state === "open" ? 0 : 1) - (b.state === "open" ? 0 : 1) || b.size - a.size; }).slice(0, mostCallouts).forEach(function (s) {
      var wide = width(s.label) + 2;
      [-22, 10, -38, 26, -54, 42, -74, 62, -94, 82].some(function (dy) {
        return [0, 0.35, -0.35].some(function (dx) {
          var b = { x: s.x - wide / 2 + dx * wide, w: wide, y: s.y + dy, h: 14 };
          if (!free(b)) return false;
          make("text", { "class": "callout", x: round(b.x), y: round(b.y + 11) }, svg, s.label);
          taken.push(b);
          return true;
        });
      });
    });
  }

  // Names as far as they have room: the ends and the changes first.
  function drawNames(svg, metric, seen, place, X, part, foot, W) {
    var order = [seen[seen.length - 1], seen[0]], taken = [];
    (metric.steps || []).forEach(function (s) { order.push(s.to); });
    if (data.banded) data.lines.forEach(function (l) { order.push(l.from); });
    var widest = Math.max.apply(null, seen.map(function (i) { return width(data.names[i]); }));
    var every = Math.max(1, Math.ceil((widest + 12) / part));
    for (var k = seen.length - 1; k >= 0; k -= every) order.push(seen[k]);
    order.forEach(function (i) {
      if (place[i] === undefined) return;
      var name = data.names[i], wide = width(name);
      var x = Math.min(Math.max(X(place[i]), wide / 2 + 2), W - wide / 2 - 2);
      if (taken.some(function (t) { return Math.abs(t.x - x) < (t.w + wide) / 2 + 8; })) return;
      taken.push({ x: x, w: wide });
      make("line", { "class": "axis", x1: round(X(place[i])), x2: round(X(place[i])), y1: foot, y2: foot + 4 }, svg);
      make("text", { x: round(x), y: foot + 18, "text-anchor": "middle" }, svg, name);
    });
    make("text", { x: W / 2, y: foot + 38, "text-anchor": "middle", "class": "title" }, svg, data.axis);
  }

  function telling(metric, i) {
    var lines = [data.names[i]], p = metric.points[i];
    if (p) lines.push(metric.title + " " + p.t + (metric.unit ? " " + metric.unit : ""));
    else lines.push(data.failures[i] || metric.title + " unknown");
    if (metric.versus[i]) lines.push(metric.versus[i]);
    if (p && data.degraded[i]) lines.push("degraded: see its page");
    if (i === metric.ref && metric.twin) lines.push("reference; again (A/A): " + metric.twin.t);
    (metric.steps || []).forEach(function (s) { if (s.to === i) lines.push(s.words + ", " + s.state); });
    (metric.seams || []).forEach(function (s) { if (s + 0.5 === i) lines.push("the environment changed before it"); });
    return lines;
  }

  var tip = null, marked = null;
  function showTip(i) {
    if (!view || view.place[i] === undefined) return;
    hideTip();
    if (view.marks[state.at]) view.marks[state.at].setAttribute("tabindex", -1);
    state.at = i;
    marked = view.marks[i];
    marked.setAttribute("tabindex", 0);
    marked.classList.add("now");
    tip = html("div", box, undefined);
    tip.id = "trend-tip";
    telling(view.metric, i).forEach(function (line, k) { html(k ? "span" : "b", tip, line); });
    var p = view.point(i), scale = box.clientWidth / view.svg.viewBox.baseVal.width;
    var x = view.X(view.place[i]) * scale, y = (p ? view.Y(p.m) : view.foot) * scale;
    tip.style.left = (x + 14 + tip.offsetWidth > box.clientWidth ? Math.max(0, x - 14 - tip.offsetWidth) : x + 14) + "px";
    tip.style.top = Math.max(0, y - tip.offsetHeight - 10) + "px";
  }
  function hideTip() {
    if (tip) tip.remove();
    if (marked) marked.classList.remove("now");
    tip = marked = null;
  }
  function go(i) {
    if (view && view.marks[i]) view.marks[i].focus();
  }

  function zoom(from, to) {
    state.from = Math.max(0, from);
    state.to = Math.min(n - 1, to);
    draw();
  }
  // About the version at hand; at least two versions stay.
  function zoomBy(factor) {
    var size = Math.min(n, Math.max(2, Math.round((state.to - state.from + 1) * factor)));
    if (factor > 1 && size === state.to - state.from + 1) size++;
    var middle = state.at >= 0 ? state.at : state.to;
    var from = Math.min(Math.max(0, middle - Math.floor(size / 2)), n - size);
    zoom(from, from + size - 1);
  }

  function announce(metric, seen) {
    byId("status").textContent = metric.title + ", " + seen.length + " of " + n + " versions shown";
  }

  function legend(metric, seen, any) {
    var out = byId("legend");
    out.textContent = "";
    function entry(text) { html("span", out, text); }
    var spread = seen.some(function (i) { var p = metric.points[i]; return p && p.lo < p.hi; });
    if (any) entry(spread ? "● median, bar from lowest to highest sample" : "● median");
    if (seen.some(function (i) { return metric.points[i] && data.degraded[i]; })) entry("○ degraded");
    if (seen.some(function (i) { return data.failures[i]; })) entry("✕ failed");
    if (metric.ref >= 0) entry("╌ reference " + data.reference);
    if (metric.ref >= 0 && metric.twin) entry("◇ reference again (A/A)");
    if (metric.ref >= 0 && metric.noise) entry("▒ ±" + (metric.noise * 100).toFixed(1) + " %: not seen between neighbours alone");
    else if (metric.noise) entry("changes below " + (metric.noise * 100).toFixed(1) + " % may go unseen");
    if ((metric.levels || []).length) entry("━ level");
    var steps = metric.steps || [];
    var has = function (is) { return steps.some(is); };
    var interval = has(function (s) { return s.label.indexOf("(") >= 0; }) ? " (95 % interval)" : "";
    var open = function (s) { return s.state === "open"; };
    if (has(function (s) { return open(s) && s.verdict === "regression"; })) entry("▲ worse" + interval);
    if (has(function (s) { return open(s) && s.verdict === "improvement"; })) entry("■ better" + interval);
    if (has(function (s) { return s.state === "recovered"; })) entry("△ recovered");
    if (has(function (s) { return s.state === "acknowledged" || s.state === "expected"; })) entry("grey: known or expected");
    if (has(function (s) { return s.z > s.a; })) entry("⊢⊣ where it may lie");
    if (has(function (s) { return s.creep; })) entry("┄ in small steps");
    if ((metric.seams || []).length) entry("╎ environment changed");
    entry(metric.better === "higher" ? "higher is better" : "lower is better");
  }

  // What readers do.

  data.metrics.forEach(function (m, k) {
    var o = html("option", byId("metric"), m.title + (m.unit ? " (" + m.unit + ")" : ""));
    o.value = k;
  });
  byId("metric").addEventListener("change", function () { state.metric = Number(this.value); draw(); });
  byId("zero").addEventListener("change", draw);
  byId("log").addEventListener("change", draw);
  byId("in").addEventListener("click", function () { zoomBy(0.5); });
  byId("out").addEventListener("click", function () { zoomBy(2); });
  byId("reset").addEventListener("click", function () { zoom(0, n - 1); });
  byId("controls").addEventListener("submit", function (e) { e.preventDefault(); });

  if (data.lines.length > 1) {
    var set = byId("lines"), boxes = [];
    set.hidden = false;
    data.lines.forEach(function (line, l) {
      var label = html("label", set), check = document.createElement("input");
      check.type = "checkbox";
      check.checked = true;
      check.addEventListener("change", function () { state.off[l] = !check.checked; draw(); });
      label.appendChild(check);
      label.appendChild(document.createTextNode(" " + line.name));
      boxes.push(check);
    });
    [["All", true], ["None", false]].forEach(function (choice) {
      var b = html("button", set, choice[0]);
      b.type = "button";
      b.addEventListener("click", function () {
        boxes.forEach(function (c, l) { c.checked = choice[1]; state.off[l] = !choice[1]; });
        draw();
      });
    });
  }

  box.addEventListener("keydown", function (e) {
    if (!view || e.ctrlKey || e.metaKey || e.altKey) return;
    var k = view.place[state.at], last = view.seen.length - 1;
    var to = { ArrowLeft: k - 1, ArrowRight: k + 1, Home: 0, End: last, PageUp: k - 10, PageDown: k + 10 }[e.key];
    if (to !== undefined) go(view.seen[Math.min(Math.max(to, 0), last)]);
    else if (e.key === "+" || e.key === "=") zoomBy(0.5);
    else if (e.key === "-") zoomBy(2);
    else if (e.key === "0") zoom(0, n - 1);
    else if (e.key === "Escape" && tip) hideTip();
    else if (e.key === "Escape") zoom(0, n - 1);
    else return;
    e.preventDefault();
  });
  box.addEventListener("focusin", function (e) {
    var mark = e.target.closest(".point");
    for (var i in view.marks) if (view.marks[i] === mark) showTip(Number(i));
  });
  box.addEventListener("focusout", hideTip);

  function under(e) {
    var r = view.svg.getBoundingClientRect();
    var x = (e.clientX - r.left) * view.svg.viewBox.baseVal.width / r.width;
    var k = Math.round((x - view.left) / view.part - 0.5);
    return { x: Math.min(Math.max(x, view.left), view.right), i: view.seen[Math.min(Math.max(k, 0), view.seen.length - 1)] };
  }
  var pressed = null, dragged = false;
  box.addEventListener("pointermove", function (e) {
    if (!view) return;
    var u = under(e);
    if (!pressed) { if (!marked || marked !== view.marks[u.i]) showTip(u.i); return; }
    if (!dragged && Math.abs(u.x - pressed.x) > 6) { dragged = true; box.setPointerCapture(e.pointerId); hideTip(); }
    if (!dragged) return;
    view.drag.setAttribute("visibility", "visible");
    view.drag.setAttribute("x", Math.min(u.x, pressed.x));
    view.drag.setAttribute("width", Math.abs(u.x - pressed.x));
  });
  box.addEventListener("pointerdown", function (e) {
    if (!view || e.button !== 0) return;
    pressed = under(e);
    dragged = false;
    if (e.pointerType === "touch") showTip(pressed.i);
  });
  box.addEventListener("pointerup", function (e) {
    if (pressed && dragged && view) {
      var to = under(e).i, from = pressed.i;
      pressed = null;
      if (to !== from) zoom(Math.min(from, to), Math.max(from, to));
      else draw();
    }
    pressed = null;
    setTimeout(function () { dragged = false; }, 0); // after the click, if one follows
  });
  box.addEventListener("pointercancel", function () { if (pressed && dragged) draw(); pressed = null; });
  box.addEventListener("pointerleave", function () { if (!pressed && !box.contains(document.activeElement)) hideTip(); });
  // A drag that ends on a version is not a wish to go there.
  box.addEventListener("click", function (e) { if (dragged) e.preventDefault(); }, true);
  box.addEventListener("dragstart", function (e) { e.preventDefault(); });

  byId("metric").closest("#trend").hidden = false;
  draw();
  var drawnAt = box.clientWidth;
  new ResizeObserver(function () {
    if (box.clientWidth !== drawnAt) { drawnAt = box.clientWidth; draw(); }
  }).observe(box);
})();
