import { afterAll } from 'vitest';
import { KilledDeployments, outlivesKills } from '../../deployments/killed-deployments.ts';
import { killMatrix } from '../../deployments/matrix.ts';
import { allMoments } from '../../deployments/moments/moments.ts';
import { freePort } from '../../ground/free-port.ts';
import { Installation } from '../../installation/installation.ts';

const installation = await Installation.start('deployment-kills', {
  ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) },
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
});
const killed = await KilledDeployments.on(installation, allMoments);
afterAll(async () => {
  if (killed !== undefined) process.stdout.write(`\n${killed.matrix()}\n\n`);
  await killed.close().catch(() => undefined);
  await installation.remove();
});

outlivesKills(() => killed, killMatrix(2), allMoments);
