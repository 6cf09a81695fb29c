import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { pushOf, sign, token, webhookGround } from '../../test/git/webhook-ground.ts';
import { until } from '../../test/ground/until.ts';

const ground = await webhookGround();
const pushed = await ground.repository();
afterAll(() => ground.close());

describe('refused', () => {
  test('a wrong signature and none at all, in one sentence; the connection says so', async () => {
    const own = await ground.connected('github', 'git.example.com');
    const wrong = await ground.send(pushOf(pushed), { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, own);
    expect([wrong.status, wrong.body.detail]).toEqual([403, 'The signature of the message is wrong.']);
    expect(await ground.statusOf(own)).toBe('refused: wrong signature');
    const unsigned = await ground.api.call('POST', `/webhooks/git/${own.id}`, { body: pushOf(pushed) });
    expect([unsigned.status, unsigned.body.detail]).toEqual([403, wrong.body.detail]);
    const others = await ground.send(
      pushOf(pushed),
      { 'x-hub-signature-256': `sha256=${sign(ground.connection.secret, JSON.stringify(pushOf(pushed)))}` },
      own,
    );
    expect(others.status).toBe(403);
    expect(await ground.buildsOf(pushed.place)).toEqual([]);
  });

  test('an unknown connection, one that is deleted, and what is no id, alike', async () => {
    const gone = await ground.connected('github', 'git.example.com');
    await ground.ours.rows.remove('git_connection', { id: gone.id });
    const answered = await Promise.all(
      [gone, { ...gone, id: crypto.randomUUID() }, { ...gone, id: "x'--" }].map((one) =>
        ground.send(pushOf(pushed), {}, one),
      ),
    );
    expect(answered.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answered.map(({ body }) => body.detail)).size).toBe(1);
  });

  test('what is no JSON after a right signature, and what is no object', async () => {
    expect((await ground.send('payload=%7B%7D')).status).toBe(400);
    expect(await ground.statusOf()).toContain('no JSON');
    for (const odd of ['null', '[]', '"x"', '7', '{"repository":null}']) {
      expect((await ground.send(odd)).body).toMatchObject({ builds: [], ignored: expect.any(String) });
    }
  });

  test('a body that is too large, told by its length alone or not', async () => {
    expect((await ground.send(JSON.stringify({ more: 'x'.repeat(6 * 1024 * 1024) }))).status).toBe(413);
    expect((await ground.send(pushOf(pushed, { more: 'x'.repeat(1024 * 1024) }))).body.builds).toHaveLength(1);
  });

  /** Messages whose bodies never come; answers which of them still have their connections. */
  async function slowBodies(id: string, proof: string, count: number) {
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(Number(new URL(ground.api.url).port), '127.0.0.1');
        await once(socket, 'connect');
        socket.on('error', () => undefined).resume();
        socket.write(
          `POST /webhooks/git/${id} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n${proof}\r\n\r\n{`,
        );
        return socket;
      }),
    );
    return {
      open: () => sockets.filter(({ closed }) => !closed).length,
      end: () => sockets.map((one) => one.destroy()),
    };
  }

  test('slow bodies that nobody has proved make way for a message, and end by themselves', async () => {
    const slow = await ground.connected('github', 'git.example.com');
    const held = await slowBodies(slow.id, `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`, 12);
    await until('the oldest made way for those behind them', async () => held.open() <= 4);
    expect((await ground.send({ ref: 1 }, {}, slow)).status).toBe(200);
    expect(held.open()).toBeLessThanOrEqual(3);
    expect((await ground.send(pushOf(pushed))).status).toBe(200);
    await until('none is waited for', async () => held.open() === 0);
  });

  test('slow bodies that are proved do not hold more than a few, nor those of another connection', async () => {
    const slow = await ground.connected('gitlab', 'git.example.com');
    const held: Awaited<ReturnType<typeof slowBodies>>[] = [];
    const merge = () =>
      ground.send({ object_kind: 'x' }, { 'x-hub-signature-256': '', 'x-gitlab-token': slow.secret }, slow);
    await until('no more are read', async () => {
      held.push(await slowBodies(slow.id, `X-Gitlab-Token: ${slow.secret}`, 1));
      return (await merge()).status === 503;
    });
    expect((await ground.send(pushOf(pushed))).status).toBe(200);
    for (const one of held) one.end();
    await until('they are read again', async () => (await merge()).status === 200);
  });
});

test('GitLab shows a token, Gitea signs, and a script signs with the time', async () => {
  const [gitlab, gitea, plain] = [
    await ground.connected('gitlab', 'git.example.com'),
    await ground.connected('gitea', 'git.example.com'),
    await ground.connected('plain', 'git.example.com'),
  ];
  const ping = { 'x-github-event': '', 'x-hub-signature-256': '' };
  const merge = { object_kind: 'merge_request' };
  const shown = await ground.send(merge, { ...ping, 'x-gitlab-token': gitlab.secret }, gitlab);
  expect([shown.status, shown.body.ignored]).toEqual([200, expect.stringContaining('fork')]);
  expect((await ground.send(merge, { ...ping, 'x-gitlab-token': 'wrong' }, gitlab)).status).toBe(403);
  const text = JSON.stringify({ ping: true });
  const signed = await ground.send(
    text,
    { ...ping, 'x-gitea-event': 'ping', 'x-gitea-signature': sign(gitea.secret, text) },
    gitea,
  );
  expect(signed.body.ignored).toContain('the webhook is set up');
  const at = (seconds: number) => ({
    ...ping,
    'x-ballast-signature': `t=${seconds},v1=${sign(plain.secret, `${seconds}.${text}`)}`,
  });
  const now = Math.floor(Date.now() / 1000);
  expect((await ground.send(text, at(now), plain)).status).toBe(200);
  expect((await ground.send(text, at(now), plain)).body.ignored).toContain('taken before');
  expect((await ground.send(text, at(now - 400), plain)).status).toBe(403);
});

test('no answer has a token or a secret in it', () => {
  expect(ground.answers()).not.toContain(token);
  expect(ground.answers()).not.toContain(ground.connection.secret);
});
