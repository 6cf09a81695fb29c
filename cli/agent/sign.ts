import { followRelease } from '../../db/agent-updates/agent-releases.ts';
import { openHome } from '../../runtime/home/home.ts';
import { withDatabase } from '../database/with-database.ts';
import { command, UsageError } from '../engine/command.ts';
import { type KeyChange, signRelease } from './sign-release.ts';

export const agentSign = command({
  summary: "Signs this version's release of the agent and offers it to the clusters",
  usage: '[--change-key | --replace-lost-key] [--json]',
  details: `\`./ballast up\` does this at each start. Where API and workers run as processes of their own, run it once for each version,
on the machine whose BALLAST_HOME has keys/release-signing-key.json: agents run nothing that this key has not signed. Back
that file up. A changed key is followed by the agents themselves; after a lost one each machine needs
\`ballast agent trust FINGERPRINT\`.`,
  options: {
    'change-key': { type: 'boolean', what: 'Sign with a new key from now on, which the present one vouches for.' },
    'replace-lost-key': {
      type: 'boolean',
      what: 'Create a new key that nothing vouches for, because the old one is lost.',
    },
    json: { type: 'boolean', what: 'Print JSON.' },
  },
  run: async ({ 'change-key': change, 'replace-lost-key': replace, json }) => {
    if (change && replace)
      throw new UsageError('--change-key and --replace-lost-key exclude each other; give one of them.');
    const keyChange: KeyChange | undefined = change ? 'change' : replace ? 'replace-lost' : undefined;
    await withDatabase('agent sign', async (database, settings) => {
      const { image, digest, fingerprint, epoch } = await signRelease(
        openHome(settings.BALLAST_HOME),
        database,
        keyChange,
      );
      // An agent that said hello before this was offered.
      await followRelease(database);
      const said = `${image} is signed and offered (epoch ${epoch}).\nFingerprint of the key: ${fingerprint}\n`;
      process.stdout.write(json ? `${JSON.stringify({ image, digest, epoch, fingerprint })}\n` : said);
      if (replace && !json) {
        process.stdout.write(`On each machine that is a cluster, run: ballast agent trust ${fingerprint}\n`);
      }
    });
  },
});
