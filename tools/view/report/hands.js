/* SPDX-License-Identifier: MIT */
/* Mouse, wheel, touch and keyboard on the stage. */
"use strict";

const hands = {
  pointers: new Map() /* that are down: where they were last */,

  place(event) {
    const box = stage.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  },

  zoom(factor, x, y) {
    stage.state.view.zoom(factor, x, y);
    stage.draw();
  },

  pan(dx, dy) {
    stage.state.view.pan(dx, dy);
    stage.draw();
  },

  /* Pan or zoom; the page scrolls if the view cannot be zoomed out further. */
  wheel(event) {
    const { view } = stage.state;
    const at = hands.place(event);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      hands.pan(event.deltaX || event.deltaY, 0);
      return;
    }
    if (event.deltaY > 0 && !view.zoomed()) return;
    event.preventDefault();
    hands.zoom(Math.exp(-Math.max(-80, Math.min(80, event.deltaY)) / 200), at.x, at.y);
  },

  down(event) {
    hands.pointers.set(event.pointerId, hands.place(event));
    stage.element.setPointerCapture(event.pointerId);
    hands.moved = 0;
  },

  move(event) {
    const at = hands.place(event),
      before = hands.pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") stage.select(stage.at(at.x, at.y));
      return;
    }
    const others = [...hands.pointers]
      .filter(([id]) => id !== event.pointerId)
      .map(([, place]) => place);
    hands.pointers.set(event.pointerId, at);
    hands.moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (others.length === 1) {
      const [other] = others;
      const far = (a) => Math.max(20, Math.hypot(a.x - other.x, a.y - other.y));
      hands.zoom(far(at) / far(before), (at.x + other.x) / 2, (at.y + other.y) / 2);
      hands.pan((before.x - at.x) / 2, (before.y - at.y) / 2);
    } else if (hands.moved > 3) {
      stage.element.classList.add("dragged");
      hands.pan(before.x - at.x, before.y - at.y);
    }
  },

  up(event) {
    const at = hands.place(event);
    if (event.type === "pointerup" && hands.moved <= 3 && hands.pointers.size === 1)
      stage.select(stage.at(at.x, at.y));
    hands.pointers.delete(event.pointerId);
    stage.element.classList.remove("dragged");
  },

  keys: {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  },

  key(event) {
    const arrow = hands.keys[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (arrow && event.shiftKey) stage.step(...arrow);
    else if (arrow) hands.pan(60 * arrow[0], 60 * arrow[1]);
    else if (event.key === "+" || event.key === "=") hands.zoom(1.4);
    else if (event.key === "-") hands.zoom(1 / 1.4);
    else if (event.key === "0") hands.fit();
    else if (event.key === "Enter") stage.follow();
    else if (event.key === "Escape") stage.select(null);
    else if (event.key === " ") stage.play();
    else return;
    event.preventDefault();
  },

  fit() {
    stage.state.view.fit();
    stage.draw();
  },

  begin() {
    const { element } = stage;
    element.addEventListener("wheel", hands.wheel, { passive: false });
    element.addEventListener("pointerdown", hands.down);
    element.addEventListener("pointermove", hands.move);
    element.addEventListener("pointerup", hands.up);
    element.addEventListener("pointercancel", hands.up);
    element.addEventListener("keydown", hands.key);
    element.addEventListener("dblclick", (event) =>
      hands.zoom(2, hands.place(event).x, hands.place(event).y),
    );
    dom.by("zoom-in").addEventListener("click", () => hands.zoom(1.6));
    dom.by("zoom-out").addEventListener("click", () => hands.zoom(1 / 1.6));
    dom.by("fit").addEventListener("click", hands.fit);
  },
};
