import type { Page } from 'playwright-core';
import { settle } from './console-page.ts';

/** Tablets, small laptops, and a large screen at 200 %. */
export const widths = [640, 768, 1024, 1280] as const;

/**
 * Texts that have too little room, a line each: a word that is broken in two, a text of which less than a word is to be seen, and a text
 * that lies over another one or over a control. `part`: only within what is open on top.
 */
export async function crowded(page: Page, part = 'body'): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await settle(page);
    const texts = (await page.evaluate(`(${measure})(${JSON.stringify(part)})`)) as string[];
    found.push(...texts.map((text) => `${width} px: ${text}`));
  }
  return found;
}

/** Runs in the browser, as text: what compiles for Node does not know the document. */
const measure = `(part) => {
  const [shortestWord, longestWord, leastSeen, touching] = [4, 16, 40, 4];
  const root = [...document.querySelectorAll(part)].at(-1) ?? document.body;
  const found = new Set();
  const styles = new Map();
  const styleOf = (element) => styles.get(element) ?? styles.set(element, getComputedStyle(element)).get(element);
  const named = (text) => '"' + text.trim().replace(/\\s+/g, ' ').slice(0, 40) + '"';

  /** For screen readers alone, or not shown at all. */
  const isHidden = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
    for (let at = element; at !== null; at = at.parentElement) if (styleOf(at).clipPath === 'inset(50%)') return true;
    return false;
  };
  /** The part of a box that its ancestors let see; whether it is cut off, and not only to be scrolled to. */
  const seen = (element, box) => {
    let { left, top, right, bottom } = box;
    let cut = false;
    for (let at = element; at !== null && at !== document.documentElement; at = at.parentElement) {
      const { overflowX, overflowY, position } = styleOf(at);
      const around = at.getBoundingClientRect();
      if (overflowX !== 'visible') {
        if ((overflowX === 'hidden' || overflowX === 'clip') && (left < around.left - 1 || right > around.right + 1)) cut = true;
        [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
      }
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
      if (position === 'fixed') break;
    }
    return { left, top, right, bottom, cut };
  };
  /** Elements that stay while the page is scrolled, or have a height of their own, lie over it and mean to. */
  const layer = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { position, zIndex } = styleOf(at);
      if (position === 'fixed' || position === 'sticky' || (position === 'absolute' && Number(zIndex) > 0)) return at;
    }
    return null;
  };

  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || isHidden(element)) continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const part = seen(element, box);
      if (part.right - part.left <= 0 || part.bottom - part.top <= 0) {
        if (part.cut && box.width > 0) found.add('nothing is to be seen of ' + named(node.data));
        continue;
      }
      if (part.cut && part.right - part.left < Math.min(leastSeen, box.width - 1))
        found.add(Math.round(part.right - part.left) + ' px are to be seen of ' + named(node.data));
      texts.push({ element, layer: layer(element), name: named(node.data), ...part });
    }
    // Addresses and commands may be broken anywhere.
    if (styleOf(element).wordBreak === 'break-all') continue;
    for (const word of node.data.matchAll(/\\S+/g)) {
      if (word[0].length < shortestWord || word[0].length > longestWord) continue;
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.add('the word "' + word[0] + '" is broken in ' + named(node.data));
    }
  }
  const controls = [...root.querySelectorAll('button, input, select, textarea')]
    .filter((element) => !isHidden(element))
    .map((element) => ({
      element,
      layer: layer(element),
      name: 'the control ' + named(element.getAttribute('aria-label') ?? element.textContent ?? ''),
      ...seen(element, element.getBoundingClientRect()),
    }));
  const over = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > touching &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > touching;
  texts.forEach((text, at) => {
    for (const other of [...texts.slice(at + 1), ...controls]) {
      if (text.element === other.element || text.layer !== other.layer || !over(text, other)) continue;
      if (text.element.contains(other.element) || other.element.contains(text.element)) continue;
      found.add(text.name + ' lies over ' + other.name);
    }
  });
  return [...found].slice(0, 20);
}`;
