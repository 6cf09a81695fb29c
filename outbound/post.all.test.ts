import { expect, test } from 'vitest';
import { receiver } from '../test/ground/receiver.ts';
import { postPublic } from './request.ts';

// Only a machine that is never so busy has its status within the bound.
test('a body that goes on until the time is up is no failure', async () => {
  const there = await receiver('127.0.0.1', 'localhost', 'chat.example');
  try {
    const left = Promise.withResolvers<void>();
    there.answers((_request, response) => {
      response.on('close', () => left.resolve());
      response.writeHead(202).write('.');
    });
    const sent = { ...there.rules, maxBytes: 1000, timeoutMillis: 8000, json: { text: 'hello' } };
    expect(await postPublic(there.url('/x'), sent)).toMatchObject({ status: 202, body: Buffer.from('.') });
    await left.promise;
  } finally {
    await there.close();
  }
});
