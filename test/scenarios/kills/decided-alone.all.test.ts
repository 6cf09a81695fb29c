import { afterAll, expect, test } from 'vitest';
import { actorId } from '../../../domain/actors/actors.ts';
import { Installation, type Session } from '../../installation/installation.ts';
import { signalProcess, stopProcess } from '../../installation/process-family.ts';
import { type HeldPlace, holdDeployment } from '../../seeds/held-deployment.ts';

interface Cell {
  /** Besides Temporal, worker and identity provider, and when. */
  killed: 'nothing else' | 'the API after its answers' | 'the API and PostgreSQL after its answers';
}

const matrix: Cell[] = [
  { killed: 'nothing else' },
  { killed: 'the API after its answers' },
  { killed: 'the API and PostgreSQL after its answers' },
];

const installation = await Installation.start('decided-alone');
const { id: organizationId, owner } = await installation.organization();
const people = { organizationId, owner, admin: await installation.session(organizationId, 'admin') };
afterAll(() => installation.remove());

const ways = ['approved', 'rejected', 'break-glass'] as const;
type Way = (typeof ways)[number];

const decide = (way: Way, { approvalId }: HeldPlace, as: Session, headers: Record<string, string> = {}) =>
  way === 'break-glass'
    ? installation.call('POST', `/api/v1/approvals/${approvalId}/break-glass`, {
        as,
        body: { reason: 'Alone' },
        headers,
      })
    : installation.call('POST', `/api/v1/approvals/${approvalId}/decide`, { as, body: { decision: way }, headers });

test.each(matrix)(
  'a decision while one API and PostgreSQL are up is neither lost nor doubled; killed is $killed',
  async ({ killed }) => {
    const { owner, admin, organizationId } = people;
    const database = await installation.database();
    const held = new Map<Way, HeldPlace>();
    for (const way of ways)
      held.set(way, await holdDeployment(database, organizationId, { ofChangeSet: way === 'approved' }));
    const { temporal } = await installation.inside();
    const handle = (one: HeldPlace) => temporal.client.workflow.getHandle(actorId('deployment', one.deploymentId));
    for (const one of held.values()) {
      await installation.until('its actor waits', async () => {
        const status = await handle(one)
          .describe()
          .catch(() => undefined);
        return status?.status.name === 'RUNNING';
      });
    }

    // Stopped, the supervisor starts nobody again; what it has opened stays open.
    const { parts } = installation;
    const supervisor = parts.supervisor() ?? 0;
    const before = new Map(
      (['temporal', 'worker', 'identity', 'api', 'postgres'] as const).map((part) => [part, parts.pid(part)]),
    );
    stopProcess(supervisor);
    parts.kill('temporal', 'worker', 'identity');
    for (const [way, one] of held) {
      const key = { 'idempotency-key': `decision-${one.approvalId}` };
      const [first, other] = await Promise.all([decide(way, one, owner, key), decide('rejected', one, admin)]);
      const again = await decide(way, one, owner, key);
      // One of two people who decide at once; the repeat of a lost answer is that answer.
      expect([first.status, other.status].toSorted()).toEqual([200, 409]);
      expect(again.status).toBe(first.status);
    }
    const dead =
      killed === 'nothing else'
        ? []
        : killed.includes('PostgreSQL')
          ? (['api', 'postgres'] as const)
          : (['api'] as const);
    parts.kill(...dead);
    signalProcess(supervisor, 'SIGCONT');
    for (const part of ['temporal', 'worker', 'identity', ...dead] as const)
      await installation.replaced(part, before.get(part) ?? 0);
    await installation.ready();

    for (const [way, one] of held) {
      const approval = (await installation.call('GET', `/api/v1/approvals/${one.approvalId}`, { as: owner })).body;
      const { decision } = approval as { decision: string };
      expect(approval).toMatchObject({ brokenGlass: way === 'break-glass' && decision === 'approved' });
      const state = await installation.until('its deployment has heard of it', async () => {
        const shown = (await installation.call('GET', `/api/v1/deployments/${one.deploymentId}`, { as: owner })).body;
        return shown.state !== 'pending' && String(shown.state);
      });
      expect(state).toBe(decision === 'approved' ? 'preparing' : 'rejected');
      const events = (await installation.call('GET', `/api/v1/deployments/${one.deploymentId}/events`, { as: owner }))
        .body;
      const decided = (events.items as { kind: string; decision?: string }[]).filter(({ kind }) => kind === 'decided');
      expect(decided).toMatchObject([{ decision }]);
      const inbox = await installation.call('GET', '/api/v1/notifications?limit=200', { as: admin });
      const told = (inbox.body.items as { title: string; link: { approvalId?: string } }[]).filter(
        ({ title, link }) => link.approvalId === one.approvalId && title.startsWith('Break-glass'),
      );
      expect(told).toHaveLength(way === 'break-glass' && decision === 'approved' ? 1 : 0);
    }
    await installation.until('everybody is told', async () => {
      const { kysely } = await installation.database();
      return (await kysely.selectFrom('outbox').select('actor_id').execute()).length === 0;
    });
  },
);
