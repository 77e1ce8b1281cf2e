/* SPDX-License-Identifier: MIT */
/* The diagram in time: the events up to a moment, which a scrubber or the clock moves. */
"use strict";

const player = {
  LASTS_MS: 9000,
  playing: false,

  get end() {
    return stage.state.view.end / 1.015;
  },

  /* part: 0 .. 1 of all */
  show(part) {
    stage.state.now = part >= 1 ? Infinity : part * player.end;
    dom.by("scrub").value = Math.round(1000 * part);
    const text = format.time(Math.min(part, 1) * player.end, format.unit(player.end));
    dom.by("scrub-time").textContent = text;
    dom.by("scrub").setAttribute("aria-valuetext", text);
    stage.draw();
  },

  part() {
    return Math.min(1, stage.state.now / player.end);
  },

  frame(time) {
    if (!player.playing) return;
    const part = player.part() + (time - player.last) / player.LASTS_MS;
    player.last = time;
    player.show(part);
    if (part >= 1) player.stop();
    else requestAnimationFrame(player.frame);
  },

  toggle() {
    if (player.playing) {
      player.stop();
      return;
    }
    player.playing = true;
    player.tell();
    if (player.part() >= 1) player.show(0);
    player.last = performance.now();
    requestAnimationFrame(player.frame);
  },

  stop() {
    player.playing = false;
    player.tell();
  },

  tell() {
    dom.by("play").textContent = player.playing ? "Pause" : "Play";
    dom.by("play").setAttribute("aria-pressed", player.playing);
  },

  begin() {
    dom.by("play").addEventListener("click", player.toggle);
    dom.by("scrub").addEventListener("input", (event) => {
      player.stop();
      player.show(event.target.value / 1000);
    });
  },
};
