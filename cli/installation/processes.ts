import { settingsWithEmbedded } from '../database/embedded-env.ts';
import { command } from '../engine/command.ts';
import { handedOver } from './handed-over.ts';

const details = `It needs PostgreSQL and Temporal: those of DATABASE_URL and TEMPORAL_ADDRESS, or the embedded ones of the home
if \`./ballast up\` runs there. Any number of these processes may run at once.`;

export const api = command({
  summary: 'Runs one API process',
  details,
  run: async () => {
    settingsWithEmbedded();
    const { main } = await import('../../api/main.ts');
    await main(handedOver());
  },
});

export const worker = command({
  summary: 'Runs one worker process',
  details,
  run: async () => {
    settingsWithEmbedded();
    const { main } = await import('../../worker/main.ts');
    await main(handedOver());
  },
});

export const identity = command({
  summary: 'Runs the built-in OpenID provider',
  details: `It needs PostgreSQL and the keys: those of DATABASE_URL and KEYS_FILE, or those of the home. It listens at the unix
socket BUILT_IN_PROVIDER_SOCKET, or on 127.0.0.1 at the port of BUILT_IN_PROVIDER_URL; the API passes on to it what is beneath
/oidc. Not needed with OIDC_ISSUER.`,
  run: async () => {
    settingsWithEmbedded();
    const { main } = await import('../../identity/main.ts');
    await main(handedOver().onReady);
  },
});
