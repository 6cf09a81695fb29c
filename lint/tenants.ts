import { guardedTables } from '../db/postgres/tenant-tables.ts';
import type { Sources } from './house.ts';

const code = /^(?:activities|api|cli|db|identity|temporal|worker)\/.*\.ts$/;
const table = new RegExp(`\\b(?:from|join|into|update|using)\\s+"?(${guardedTables.join('|')})\\b`);
const acrossTenants = '/* across tenants */';

/**
 * Raw SQL passes by the guard of db/postgres/tenant.ts: a text that names a table of reference data names
 * `organization_id`, too, or says that it means all organizations. A sentence for each that does neither.
 */
export function unguardedStatements(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => {
    if (!code.test(file) || /\.test\.ts$|\/migrations\/Migration/.test(file)) return [];
    return [...text.matchAll(/`(?:[^`\\]|\\.)*`/g)].flatMap(({ 0: statement, index }) => {
      const [, name] = table.exec(statement) ?? [];
      if (name === undefined || statement.includes('organization_id') || statement.includes(acrossTenants)) return [];
      const line = text.slice(0, index).split('\n').length;
      return [`${file}:${line} names ${name} in raw SQL without organization_id; add it, or say ${acrossTenants}.`];
    });
  });
}

const condition = /\.(?:where|having|on)\(\s*(?:\(?\w*\)? =>\s*)?sql(?:<[^>]*>)?`([^`]*)`/g;

/**
 * The query builder joins conditions by `and` and puts no parentheses around raw ones: `a or b` beside the organization's
 * condition would be `(organization and a) or b`, which is everybody's. A sentence for each `or` that stands open.
 */
export function openAlternatives(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => {
    if (!code.test(file) || /\.test\.ts$/.test(file)) return [];
    return [...text.matchAll(condition)].flatMap(({ 1: raw = '', index }) => {
      if (!/\bor\b/i.test(outsideParentheses(raw.replace(/\$\{[^}]*\}?/g, '')))) return [];
      const line = text.slice(0, index).split('\n').length;
      return [`${file}:${line} has an \`or\` in a raw condition without parentheses around it; add them.`];
    });
  });
}

/** A text that ends within parentheses, because a template stands in it, loses what is in them. */
function outsideParentheses(text: string): string {
  let depth = 0;
  return [...text]
    .filter((letter) => {
      if (letter === '(') depth += 1;
      if (letter === ')') depth -= 1;
      return depth === 0;
    })
    .join('');
}
