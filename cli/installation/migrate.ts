import { settingsWithEmbedded } from '../database/embedded-env.ts';
import { reachableDatabase } from '../database/reachable-database.ts';
import { command, jsonOption } from '../engine/command.ts';
import { prepareDatabase } from '../preparation/prepare-database.ts';

export const migrate = command({
  summary: 'Migrates the database to this version',
  usage: '[--json]',
  details: `Makes or updates the tables, the keys file and the organization "default". \`./ballast up\` does this by itself; with
several API and worker processes, run it once before the new version of them is started.`,
  options: jsonOption,
  run: async () => {
    const settings = settingsWithEmbedded();
    await reachableDatabase(settings);
    const { applied } = await prepareDatabase(settings, (text) => process.stderr.write(`${text}\n`));
    const text = applied.length === 0 ? 'The database is at this version already.' : `Applied ${applied.join(', ')}.`;
    return { jsonLine: { applied }, text };
  },
});
