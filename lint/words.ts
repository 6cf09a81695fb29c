import type { Sources } from './house.ts';

interface Word {
  /** A space stands for any white space, so that a phrase is found across a line's end. */
  not: RegExp;
  write: string;
}

/** Phrases that users must not read, each with the word of the field. Only phrases without an innocent meaning. */
const words: readonly Word[] = [
  { not: /\bas (?:it|they) shall be\b/i, write: 'healthy, degraded' },
  { not: /\bnothing (?:is|was) heard\b|\bheard of (?:again|it any|any ?more)\b/i, write: 'no heartbeat, lost contact' },
  { not: /\bbehind the scenes\b/i, write: 'workflow' },
  { not: /(?<![.\w-])slices?\b(?![-(])/i, write: 'workload' },
  { not: /\b(?:is|are|was|were) gone\b|\bgone for good\b/i, write: 'deleted, purged, ended' },
  { not: /\bput away\b/i, write: 'dismiss' },
  { not: /\btak(?:e|en|es|ing) away\b/i, write: 'delete, remove' },
  { not: /\b(?:came|comes?|coming) to (?:its|their|an) end\b/i, write: 'finished, succeeded, failed' },
  { not: /\b(?:goes|going|went) on and (?:is )?over\b/i, write: 'running, finished' },
  { not: /\bwho wanted it\b/i, write: 'requested by' },
  { not: /\bis called so\b/i, write: 'no results' },
  { not: /\blife of (?:join|the|a)? ?(?:commands?|tokens?)\b/i, write: 'lifetime' },
];

const source = /^(?:agent|api|cli|db|domain|identity|pages|runtime|temporal|web|worker|workflows)\/.*\.(?:tsx?|mjs)$/;
const document = /^(?:README\.md|docs\/[^/]+\.md)$/;
/** Fields on the wire keep their names, and this document explains them. */
const protocol = 'docs/agent-protocol.md';

/** Words of the glossary's right column in texts that users see, a sentence each. */
export function strayWords(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) =>
    userTexts(file, text).flatMap(({ at, text: said }) =>
      words.flatMap(({ not, write }) => {
        const found = new RegExp(not.source.replaceAll(' ', '\\s+'), 'i').exec(said);
        if (found === null || (file === protocol && write === 'workload')) return [];
        const line = text.slice(0, at + found.index).split('\n').length;
        return [`${file}:${line} says "${found[0].replaceAll(/\s+/g, ' ')}" to users; the glossary has: ${write}.`];
      }),
    ),
  );
}

interface Piece {
  at: number;
  text: string;
}

function userTexts(file: string, text: string): Piece[] {
  if (document.test(file)) return paragraphs(text);
  if (!source.test(file) || /\.test\.tsx?$/.test(file)) return [];
  const bare = blanked(text, /(?<=^|[\s{(,])\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm);
  // Tables and columns keep their names.
  const code = blanked(bare, /\bsql(?:<[^`]*>)?`[^`]*`|'\w+ as \w+'/g);
  const literals = pieces(code, /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g);
  const jsx = file.endsWith('.tsx') ? pieces(code, /(?<=[^=]>|\})[^<>{}=]+(?=[<{])/g) : [];
  // A literal without a space is a name: a field, a path, a kind. Queries name tables.
  return [...literals, ...jsx]
    .filter(({ text }) => / /.test(text.trim()) && !/\bselect\b.*\bfrom\b/s.test(text))
    .map(({ at, text }) => ({ at, text: blanked(text, /\$\{[^}]*\}/g) }));
}

/** Prose of a document by paragraph. Names of fields and commands are in code, which may say anything. */
function paragraphs(text: string): Piece[] {
  const prose = blanked(text, /^```[\s\S]*?^```|`[^`\n]*`|\]\([^)]*\)/gm);
  return pieces(prose, /(?:.+\n?)+/g);
}

function pieces(text: string, pattern: RegExp): Piece[] {
  return [...text.matchAll(pattern)].map((match) => ({ at: match.index, text: match[0] }));
}

/** The text with each match replaced by spaces, so that places in it stay the same. */
function blanked(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (match) => match.replaceAll(/[^\n]/g, ' '));
}
