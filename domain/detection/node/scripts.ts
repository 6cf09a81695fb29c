import type { Manifest } from './manifest.ts';

const calls =
  /(?:^|[\s&|;("'])(?:npm run(?:-script)?|npm(?= start\b)|yarn run|yarn|pnpm run|pnpm|bun run)[ \t]+([\w:.-]+)/g;
const many = /(?:^|[\s&|;("'])(?:run-s|run-p|npm-run-all)((?:[ \t]+[\w:.*-]+)+)/g;
const longest = 20_000;

/** All that a script runs in the end: its own text, and that of the scripts that it calls. */
export function everythingOf(manifest: Manifest, name: string): string {
  const seen = new Set<string>();
  const texts: string[] = [];
  let length = 0;
  const visit = (script: string): void => {
    const text = manifest.scripts.get(script);
    if (text === undefined || seen.has(script) || length > longest) return;
    seen.add(script);
    length += text.length;
    for (const called of calledBy(manifest, text)) visit(called);
    // Last, so that the script's own end is the end of all.
    texts.push(text);
  };
  visit(`pre${name}`);
  visit(name);
  return texts.join('\n');
}

function calledBy(manifest: Manifest, text: string): string[] {
  const single = [...text.matchAll(calls)].map((match) => match[1] ?? '');
  const patterns = [...text.matchAll(many)].flatMap((match) => (match[1] ?? '').trim().split(/[ \t]+/));
  const several = patterns.flatMap((pattern) => {
    if (!pattern.endsWith(':*')) return [pattern];
    return [...manifest.scripts.keys()].filter((name) => name.startsWith(pattern.slice(0, -1)));
  });
  return [...single, ...several];
}

/** The script that builds. */
export function buildScriptOf(manifest: Manifest): string | undefined {
  return ['build', 'build:production', 'build:prod'].find((name) => manifest.scripts.has(name));
}

const steps = /^(?:npm run|yarn(?: run)?|pnpm(?: run)?|bun run) build\s*&&\s*/;

/** A script that builds first, without that: it was built already. */
export function withoutBuild(text: string): string {
  return text.replace(steps, '');
}
