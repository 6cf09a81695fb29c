import { command } from './command.ts';
import { settingsWithEmbedded } from './embedded-env.ts';

const details = `It needs PostgreSQL and Temporal: those of DATABASE_URL and TEMPORAL_ADDRESS, or the embedded ones of the home
if \`./ballast up\` runs there. Any number of these processes may run at once.`;

export const api = command({
  summary: 'Runs one API process',
  details,
  run: async () => {
    settingsWithEmbedded();
    const { main } = await import('../api/main.ts');
    await main();
  },
});

export const worker = command({
  summary: 'Runs one worker process',
  details,
  run: async () => {
    settingsWithEmbedded();
    const { main } = await import('../worker/main.ts');
    await main();
  },
});
