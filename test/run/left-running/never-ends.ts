import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastRun } from '../../../agent/drivers/process/runs.ts';
import { Ingress } from '../../../agent/ingress/ingress.ts';
import { IngressFiles } from '../../../agent/ingress/ingress-files.ts';
import { writeFileAtomically } from '../../../machine/files.ts';
import { identify } from '../../../machine/process-identity.ts';
import { process as processSchema } from '../../../protocol/workload.ts';
import { until } from '../../ground/until.ts';
import { processGround } from '../../machines/process-ground.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'agent', 'ingress', 'main.ts');

test('it starts what outlives an agent, says what that is, and waits for its end', async () => {
  const here = await processGround();
  const driver = await here.driver();
  const id = `web-${randomBytes(4).toString('hex')}`;
  const settings = { key: 'shop/production', release: 'r1', image: await here.image(), environment: {}, volumes: [] };
  await driver.create({ id, ...settings, process: processSchema.parse({ name: 'web', kind: 'http', port: 8080 }) });
  await driver.start(id);
  const { keeper, child } = await until('the instance runs', async () => {
    const run = lastRun(join(here.home, 'instances', id));
    return run?.child !== undefined && run;
  });
  const log = { info: () => {}, warn: () => {} };
  await new Ingress({ home: here.home, port: 0, listen: '127.0.0.1', program: [process.execPath, main], log }).ensure();
  const files = new IngressFiles(join(here.home, 'ingress'));
  const processes = [identify(process.pid), keeper, child, files.serving(), ...files.holders()];
  expect(processes).not.toContain(undefined);
  writeFileAtomically(process.env.LEFT_RUNNING ?? '', JSON.stringify({ directory: tmpdir(), processes }));
  await new Promise(() => {});
});
