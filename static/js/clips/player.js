/*
 * Videos and sounds: a bar below each, one plays at a time, and what was played is counted.
 *
 * The browser's own controls cover the stimulus and offer speed and sound, so they go. A clip that
 * must be silent has no track of sound and is muted besides. Speed is always 1, nothing loops.
 */
(() => {
  "use strict";

  const SLOW = 8000; // ms of waiting after which the person is told
  const RESTART = 0.3; // s: a start this near to the beginning is a start over
  const JOIN = 0.25; // s: gaps between played parts that are no gaps
  const MOST_PARTS = 8;

  const { words, fill, figures } = booth;
  const clips = new WeakMap(); // section -> clip
  const listeners = new Set(); // called with a clip when something about it changed
  let current = []; // the clips on screen
  let lastUsed = null;
  let turns = null; // ids still to be played "in turn"

  const tenth = (n) => Math.round(n * 10) / 10;
  const clock = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

  /* ---- What was played ---- */

  function joined(parts) {
    const found = [];
    for (const [from, to] of [...parts].sort((a, b) => a[0] - b[0])) {
      const last = found.at(-1);
      if (last && from <= last[1] + JOIN) last[1] = Math.max(last[1], to);
      else found.push([from, to]);
    }
    return found;
  }

  function partsOf(clip) {
    const { played } = clip.media;
    const now = Array.from({ length: played.length }, (_, i) => [played.start(i), played.end(i)]);
    return joined([...clip.before, ...now]);
  }

  const knownLength = (clip) => (Number.isFinite(clip.media.duration) && clip.media.duration > 0
    ? clip.media.duration
    : clip.length);

  // Browsers start and stop counting within a frame or two of the ends.
  function toEdge(at, length) {
    const near = Math.min(JOIN, length / 10);
    if (at < near) return 0;
    return at > length - near ? length : at;
  }

  // Share in 0..1 of the clip that was played at least once; 0 while its length is unknown.
  function share(clip) {
    const length = knownLength(clip);
    if (!length) return 0;
    const seen = partsOf(clip).reduce((sum, [from, to]) => sum + (toEdge(to, length) - toEdge(from, length)), 0);
    return Math.min(1, seen / length);
  }

  function told(clip) {
    const length = knownLength(clip);
    const { counts } = clip;
    const parts = partsOf(clip).map(([from, to]) => [tenth(from), tenth(to)]);
    return {
      ...(length ? { length: tenth(length) } : {}),
      seen: Math.round(100 * share(clip)) / 100,
      played: tenth(counts.played),
      starts: counts.starts,
      replays: counts.replays,
      stalls: counts.stalls,
      stalled: tenth(counts.stalled),
      errors: counts.errors,
      parts: parts.sort((a, b) => (b[1] - b[0]) - (a[1] - a[0])).slice(0, MOST_PARTS),
    };
  }

  /* ---- The bar ---- */

  const part = (clip, name) => clip.section.querySelector(`[data-${name}]`);

  function note(clip, text) {
    const line = part(clip, "clip-note");
    line.textContent = text;
    line.hidden = !text;
  }

  function draw(clip) {
    const { media, section } = clip;
    const length = knownLength(clip);
    const playing = !media.paused && !media.ended;
    section.classList.toggle("playing", playing);
    const play = part(clip, "play");
    play.setAttribute("aria-label", playing ? play.dataset.sayPause : play.dataset.sayPlay);
    const seek = part(clip, "seek");
    if (length) seek.max = length;
    seek.disabled = !length;
    seek.value = media.currentTime;
    const whole = Math.round(length ?? 0);
    seek.setAttribute("aria-valuetext", fill(seek.dataset.sayAt, {
      n: Math.min(Math.round(media.currentTime), whole), total: whole,
    }));
    const at = clock(media.ended ? Math.round(media.currentTime) : media.currentTime);
    part(clip, "time").firstElementChild.textContent = figures(
      length ? `${at} / ${clock(Math.round(length))}` : at,
    );
    drawSeen(clip, length);
    for (const listener of listeners) listener(clip);
  }

  function drawSeen(clip, length) {
    const bar = part(clip, "seen");
    const parts = length ? partsOf(clip) : [];
    while (bar.children.length > parts.length) bar.lastElementChild.remove();
    while (bar.children.length < parts.length) bar.append(document.createElement("span"));
    parts.forEach(([from, to], i) => {
      const piece = bar.children[i].style;
      piece.setProperty("inset-inline-start", `${(100 * from) / length}%`);
      piece.setProperty("inline-size", `${(100 * (to - from)) / length}%`);
    });
  }

  /* ---- Playing ---- */

  async function play(clip) {
    lastUsed = clip;
    booth.deck.reveal(clip.id);
    try {
      await clip.media.play();
      return true;
    } catch (refusal) {
      // Refused, interrupted or broken: the bar simply shows Play; a break tells its own error.
      if (!(refusal instanceof DOMException)) throw refusal;
      draw(clip);
      return false;
    }
  }

  function toggle(clip) {
    turns = null;
    lastUsed = clip;
    if (clip.media.paused || clip.media.ended) play(clip);
    else clip.media.pause();
  }

  async function playNextInTurn() {
    const clip = turns?.shift();
    if (!clip) {
      turns = null;
      return;
    }
    clip.media.currentTime = 0;
    clip.section.scrollIntoView({ block: "nearest" }); // it is to be seen, not only to run
    const queue = turns;
    if (!(await play(clip)) && turns === queue) {
      turns = null;
      note(clip, fill(words.pressPlay, { name: clip.section.dataset.name }));
    }
  }

  function started(clip) {
    for (const other of current) if (other !== clip) other.media.pause();
    lastUsed = clip;
    clip.counts.starts += 1;
    if (clip.ended && clip.media.currentTime < RESTART) clip.counts.replays += 1;
    clip.ended = false;
    clip.since = performance.now();
    // Paused again before this event came: the note says why.
    if (!clip.media.paused) note(clip, "");
    draw(clip);
  }

  // Seconds of visible play. The clip's own time would count jumps.
  function pass(clip) {
    const now = performance.now();
    const { media } = clip;
    const runs = !media.paused && !clip.waitingSince && document.visibilityState === "visible";
    if (runs && clip.since) clip.counts.played += Math.min(now - clip.since, 1000) / 1000;
    clip.since = now;
  }

  function finished(clip) {
    pass(clip);
    clip.ended = true;
    draw(clip);
    if (turns) playNextInTurn();
  }

  /* ---- A poor line ---- */

  function waits(clip) {
    const { media } = clip;
    if (media.paused || media.seeking || clip.waitingSince) return;
    pass(clip);
    clip.waitingSince = performance.now();
    if (media.currentTime > 0) clip.counts.stalls += 1;
    clip.slowTimer = setTimeout(() => note(clip, words.slowClip), SLOW);
  }

  function goesOn(clip) {
    clearTimeout(clip.slowTimer);
    if (!clip.waitingSince) return;
    clip.counts.stalled += (performance.now() - clip.waitingSince) / 1000;
    clip.waitingSince = 0;
    clip.since = performance.now();
    if (part(clip, "clip-note").textContent === words.slowClip) note(clip, "");
  }

  function load(clip) {
    const { media } = clip;
    const at = media.currentTime;
    clip.before = partsOf(clip);
    const goOn = clip.wanted;
    media.src = booth.stage.fresh(media.src);
    media.load();
    if (at > 0) media.addEventListener("loadedmetadata", () => { media.currentTime = at; }, { once: true });
    if (goOn) play(clip);
  }

  function fails(clip) {
    goesOn(clip);
    clip.counts.errors += 1;
    if (!clip.retried) {
      clip.retried = true; // once, silently: most failures are of the line
      load(clip);
    } else {
      showFailure(clip, true);
    }
    draw(clip);
  }

  function showFailure(clip, failed) {
    clip.failed = failed;
    clip.section.querySelector(".picture").hidden = failed;
    part(clip, "player").hidden = failed;
    part(clip, "failed").hidden = !failed;
    if (!failed) return;
    note(clip, "");
    booth.say(part(clip, "failed").querySelector("p").textContent, "alarm");
    if (turns) playNextInTurn();
  }

  /* ---- One clip ---- */

  function make(section) {
    const media = section.querySelector("[data-clip]");
    const id = section.dataset.medium;
    const earlier = booth.timing.earlierClip(id);
    const clip = {
      section, media, id,
      length: earlier.length,
      before: earlier.parts ?? [],
      counts: { played: 0, starts: 0, replays: 0, stalls: 0, stalled: 0, errors: 0 },
      ended: false, failed: false, retried: false, wanted: false, waitingSince: 0, since: 0,
    };
    for (const name of Object.keys(clip.counts)) clip.counts[name] = earlier[name] ?? 0;
    const silent = media.hasAttribute("muted");
    media.controls = media.loop = false;
    media.muted = silent;
    const on = (name, act) => media.addEventListener(name, () => act(clip));
    on("play", (c) => { c.wanted = true; started(c); });
    on("pause", (c) => { pass(c); if (!c.media.error) c.wanted = false; goesOn(c); draw(c); });
    on("playing", (c) => { goesOn(c); draw(c); });
    on("timeupdate", (c) => { if (!c.media.seeking) goesOn(c); pass(c); draw(c); });
    on("seeked", draw);
    on("ended", finished);
    on("waiting", waits);
    on("error", fails);
    on("loadedmetadata", (c) => {
      // A codec of which only the sound is known gives a video without a picture.
      if (section.dataset.kind === "video" && media.videoWidth === 0) showFailure(c, true);
      draw(c);
    });
    on("durationchange", draw);
    on("loadeddata", loaded);
    on("canplaythrough", fetchNext);
    media.addEventListener("ratechange", () => { if (media.playbackRate !== 1) media.playbackRate = 1; });
    media.addEventListener("volumechange", () => { if (silent && !media.muted) media.muted = true; });
    media.addEventListener("contextmenu", (event) => event.preventDefault());
    part(clip, "player").hidden = false;
    part(clip, "seek").addEventListener("input", (event) => { media.currentTime = event.target.value; });
    part(clip, "play").addEventListener("click", () => toggle(clip));
    if (media.error) fails(clip);
    return clip;
  }

  function loaded() {
    if (current.every((clip) => clip.failed || clip.media.readyState >= 2)) booth.stage.ready();
  }

  // The next clip of the screen loads when this one can be played to its end.
  function fetchNext(clip) {
    const next = current[current.indexOf(clip) + 1];
    if (next && !navigator.connection?.saveData) next.media.preload = "auto";
  }

  /* ---- Larger: the same element, over the page ---- */

  function enlarge(clip, on) {
    const { section } = clip;
    const button = part(clip, "larger");
    section.classList.toggle("larger", on);
    document.documentElement.classList.toggle("has-larger", on);
    button.setAttribute("aria-label", on ? button.dataset.saySmaller : button.dataset.sayLarger);
    // What lies under it is out of reach meanwhile.
    for (let place = section; place.parentElement && place !== document.body; place = place.parentElement) {
      for (const other of place.parentElement.children) {
        if (other !== place && !other.matches("#said, #alarm")) other.inert = on;
      }
    }
    if (on) {
      lastUsed = clip;
      button.focus();
    }
  }

  const enlarged = () => current.find((clip) => clip.section.classList.contains("larger"));

  /* ---- The screen ---- */

  booth.onScreen(({ same }) => {
    const sections = [...booth.unit.querySelectorAll(".stimulus")];
    current = sections.filter((section) => section.querySelector("[data-clip]")).map((section) => {
      if (!clips.has(section)) clips.set(section, make(section));
      return clips.get(section);
    });
    if (!same) {
      turns = lastUsed = null;
      document.documentElement.classList.remove("has-larger");
      for (const part of document.querySelectorAll("[inert]")) part.inert = false;
    }
    for (const clip of current) {
      booth.timing.follow(clip.id, () => told(clip));
      draw(clip);
    }
    const inTurn = booth.unit.querySelector("[data-turns]");
    if (inTurn) inTurn.hidden = false;
    for (const stimuli of booth.unit.querySelectorAll(".stimuli")) stimuli.dataset.ready = "";
    if (current[0] && !navigator.connection?.saveData) current[0].media.preload = "auto";
    if (current.length) loaded();
  });

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    const clip = clips.get(on(".stimulus"));
    if (on("[data-turns]")) {
      turns = [...current.filter((each) => !each.failed)];
      playNextInTurn();
    } else if (clip && on("[data-larger]")) {
      enlarge(clip, clip !== enlarged());
    } else if (clip && on("[data-load-again]")) {
      showFailure(clip, false);
      load(clip);
    }
  });
  document.addEventListener("keydown", (event) => {
    const clip = enlarged();
    if (!clip || event.key !== "Escape") return;
    event.preventDefault();
    enlarge(clip, false);
    part(clip, "larger").focus();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") return;
    for (const clip of current) {
      if (clip.media.paused) continue;
      pass(clip);
      clip.media.pause();
      turns = null;
      note(clip, words.pausedAway);
    }
  });

  booth.clips = {
    all: () => current,
    share,
    lengthOf: knownLength,
    onChange: (listener) => listeners.add(listener),
    // K and Z: the clip last used, else the first.
    toggleLast: () => { if (current.length) toggle(lastUsed ?? current[0]); },
    enlargeLast: () => {
      const clip = enlarged() ?? lastUsed ?? current[0];
      if (!clip || !part(clip, "larger")) return false;
      enlarge(clip, !enlarged());
      return true;
    },
  };
})();
