import { expect, test } from 'vitest';
import { type TemporalPort, temporalPorts } from '../home/home-record.ts';
import { temporalConfig, temporalDynamicConfig } from './temporal-config.ts';

const ports = Object.fromEntries(temporalPorts.map((name, index) => [name, 20_000 + index])) as Record<
  TemporalPort,
  number
>;
const certificates = { ca: '/h/ca', serverCert: '/h/s', serverKey: '/h/sk', clientCert: '/h/c', clientKey: '/h/ck' };

function config(password = 'secret') {
  return JSON.parse(
    temporalConfig({ ports, sockets: '/h/run', password, certificates, dynamicConfigPath: '/h/dynamic.yaml' }),
  );
}

test('every service demands a certificate of ours', () => {
  const { tls } = config().global;
  for (const group of [tls.frontend, tls.internode]) {
    expect(group.server).toMatchObject({ requireClientAuth: true, clientCaFiles: ['/h/ca'] });
  }
  expect(tls.systemWorker).toMatchObject({ certFile: '/h/s', client: { rootCaFiles: ['/h/ca'] } });
});

test('no service speaks HTTP, and all listen on this machine only', () => {
  for (const { rpc } of Object.values<{ rpc: Record<string, unknown> }>(config().services)) {
    expect(rpc.bindOnIP).toBe('127.0.0.1');
    expect(rpc).not.toHaveProperty('httpPort');
  }
  expect(config().global).not.toHaveProperty('metrics');
  expect(config().global).not.toHaveProperty('pprof');
});

test('a password with anything in it is read back as it is', () => {
  const password = 'a"b\\c: {d}\n#e';
  expect(config(password).persistence.datastores.default.sql).toMatchObject({ user: 'temporal', password });
  expect(config().persistence.numHistoryShards).toBe(4);
});

test('PostgreSQL is reached through its socket, and no address that could lead elsewhere is named', () => {
  for (const { sql } of Object.values<{ sql: Record<string, unknown> }>(config().persistence.datastores)) {
    expect(sql).toMatchObject({ pluginName: 'postgres12_pgx', connectAttributes: { host: '/h/run' } });
    expect(sql.connectAddr).toMatch(/\.invalid:/);
  }
});

test('the limits that were measured are raised', () => {
  const values = JSON.parse(temporalDynamicConfig());
  expect(values['frontend.namespaceRPS.visibility']).toEqual([{ value: 100 }]);
  expect(values['history.workflowTaskRetryMaxInterval']).toEqual([{ value: '30s' }]);
  expect(values['system.enableRingpopTLS']).toEqual([{ value: true }]);
});
