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
