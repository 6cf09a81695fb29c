import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { readSettings } from '../../../domain/settings/settings.ts';
import { CannotListen, listen } from './listen.ts';

async function listening(env: Record<string, string>): Promise<string> {
  const app = fastify();
  try {
    return (await listen(app, readSettings(env), [])).address;
  } finally {
    await app.close();
  }
}

test('it answers where it listens, and says why it cannot', async () => {
  const holding = createServer().listen(0, '127.0.0.1');
  await once(holding, 'listening');
  const port = String((holding.address() as AddressInfo).port);
  const taken = await listening({ PORT: port, LISTEN: '127.0.0.1' }).catch((error: unknown) => error);
  expect(taken).toBeInstanceOf(CannotListen);
  expect(taken).toMatchObject({
    message: `PORT ${port} is taken by another program; stop that one, or choose another port.`,
  });
  const elsewhere = { LISTEN: '192.0.2.1', PUBLIC_URL: 'https://ballast.example.com' };
  await expect(listening({ PORT: port, ...elsewhere })).rejects.toThrow(
    'LISTEN 192.0.2.1 is no address of this machine',
  );
  holding.close();
  expect(await listening({ PORT: '0', LISTEN: '127.0.0.1' })).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
