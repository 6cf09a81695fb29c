import { expect, test } from 'vitest';
import { type InnerPort, innerPorts } from '../home/home-record.ts';
import { temporalConfig } from './temporal-config.ts';

const ports = Object.fromEntries(innerPorts.map((name, index) => [name, 20_000 + index])) as Record<InnerPort, number>;
const certificates = { ca: '/h/ca', serverCert: '/h/s', serverKey: '/h/sk', clientCert: '/h/c', clientKey: '/h/ck' };

function config(password = 'secret') {
  return JSON.parse(temporalConfig({ ports, password, certificates, dynamicConfigPath: '/h/dynamic.yaml' }));
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
  expect(config().global.metrics.prometheus.listenAddress).toMatch(/^127\.0\.0\.1:/);
});

test('a password with anything in it is read back as it is', () => {
  const password = 'a"b\\c: {d}\n#e';
  expect(config(password).persistence.datastores.default.sql).toMatchObject({ user: 'temporal', password });
  expect(config().persistence.numHistoryShards).toBe(4);
});
