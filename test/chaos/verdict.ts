import type { At, Facts, Promised, RequestFact } from './facts.ts';

export const faultClasses = ['lost', 'doubled', 'orphan', 'false statement', 'two live', 'stuck'] as const;
export type FaultClass = (typeof faultClasses)[number];

export interface Finding {
  is: FaultClass;
  what: string;
}

/** Sentences that no kill and no pause makes true: nobody changes the code of a workflow, and none builds are not waited for. */
const falseSentences = [/workflow code keeps failing/i, /\bone of 0 builds\b|\b0 builds that are running/i];

/** Every breach of the rules in what a run has recorded. Nothing but the facts decides. */
export function verdict(facts: Facts): Finding[] {
  return [
    ...lost(facts),
    ...doubled(facts),
    ...orphans(facts),
    ...falseStatements(facts),
    ...twoLive(facts),
    ...stuck(facts),
  ];
}

const accepted = ({ status }: RequestFact): boolean => status !== undefined && status < 300;
const finding = (is: FaultClass, what: string): Finding => ({ is, what });

function lost(facts: Facts): Finding[] {
  const rows = new Map(facts.rows.map((row) => [`${row.kind} ${row.id}`, row]));
  const found: Finding[] = [];
  for (const request of facts.requests.filter(accepted)) {
    const told = `${request.kind} ${request.key} was accepted`;
    for (const promised of request.promises) {
      if (promised.of === 'row') {
        const row = rows.get(`${promised.kind} ${promised.id}`);
        const wanted = promised.states ?? [];
        if (row === undefined)
          found.push(finding('lost', `${told}: the ${promised.kind} ${promised.id} is not there.`));
        else if (row.final && wanted.length > 0 && !wanted.includes(row.state))
          found.push(
            finding('lost', `${told}: the ${row.kind} ${row.id} is ${row.state}, not ${wanted.join(' or ')}.`),
          );
      } else if (promised.of === 'decision') {
        const decision = facts.decisions[promised.approvalId] ?? 'unknown';
        if (decision !== promised.decision)
          found.push(finding('lost', `${told}: the approval ${promised.approvalId} is ${decision}.`));
      }
    }
  }
  return [...found, ...lostWrites(facts)];
}

type Write = Extract<Promised, { of: 'value' | 'suspension' }>;
const nameOf = (write: Write): string =>
  `${write.of} ${write.of === 'value' ? write.key : ''} ${placeOf(write)}`.replaceAll('  ', ' ');
const placeOf = ({ environmentId, serviceId }: At): string => `of ${serviceId} in ${environmentId}`;
const textOf = (write: Write): string => (write.of === 'value' ? write.value : String(write.suspended));

/** What was written last is there. A later request that nobody answered may have been carried out or not. */
function lostWrites({ requests, rows, values, suspensions }: Facts): Finding[] {
  const live = new Set(rows.flatMap(({ id, state }) => (state === 'live' ? [id] : [])));
  const there = new Map<string, string>([
    ...values.map((one) => [nameOf({ of: 'value', ...one }), one.value] as const),
    ...suspensions.map((one) => [nameOf({ of: 'suspension', ...one }), String(one.suspended)] as const),
  ]);
  const allowed = new Map<string, { texts: string[]; key: string }>();
  for (const request of requests) {
    for (const write of request.promises) {
      if (write.of !== 'value' && write.of !== 'suspension') continue;
      const name = nameOf(write);
      const before = allowed.get(name);
      if (accepted(request)) {
        const open = write.of === 'suspension' && !write.suspended && !live.has(write.by ?? '');
        allowed.set(name, { texts: open ? ['true', 'false'] : [textOf(write)], key: request.key });
      } else if (request.status === undefined) before?.texts.push(textOf(write));
    }
  }
  return [...allowed].flatMap(([name, { texts, key }]) => {
    const is = there.get(name) ?? 'absent';
    return texts.includes(is)
      ? []
      : [finding('lost', `${key} was accepted: ${name} is ${is}, not ${texts.join(' or ')}.`)];
  });
}

function doubled({ requests, effects, rows, commandRuns }: Facts): Finding[] {
  const found: Finding[] = [];
  const attempts = new Map<string, Set<string>>();
  for (const { requestId } of effects) {
    const key = requestId.slice(0, requestId.lastIndexOf('.'));
    attempts.set(key, (attempts.get(key) ?? new Set()).add(requestId));
  }
  for (const [key, by] of attempts)
    if (by.size > 1) found.push(finding('doubled', `${key} was carried out ${by.size} times: ${[...by].join(', ')}.`));
  for (const { key, kind, answers } of requests) {
    const subjects = new Set(answers.map(({ subject }) => subject));
    if (subjects.size > 1)
      found.push(finding('doubled', `${kind} ${key} was answered with ${[...subjects].join(', ')}.`));
  }
  const members = new Map<string, string[]>();
  for (const { kind, id, changeSetId, serviceId } of rows) {
    if (kind !== 'deployment' || changeSetId === undefined) continue;
    const member = `the change set ${changeSetId} and the service ${serviceId}`;
    members.set(member, [...(members.get(member) ?? []), id]);
  }
  for (const [member, ids] of members)
    if (ids.length > 1) found.push(finding('doubled', `${ids.length} deployments of ${member}: ${ids.join(', ')}.`));
  for (const { mark, times, allowed } of commandRuns) {
    if (times > allowed)
      found.push(finding('doubled', `The release command of ${mark} ran ${times} times for ${allowed} deployments.`));
  }
  return found;
}

function orphans({ rows, leftovers }: Facts): Finding[] {
  const running = rows.filter(({ final, runs }) => final && runs);
  return [
    ...leftovers.map((what) => finding('orphan', what)),
    ...running.map(({ kind, id, state, message }) =>
      finding('orphan', `The workflow of the ${kind} ${id} runs, which is ${state}: ${message}`),
    ),
  ];
}

function falseStatements(facts: Facts): Finding[] {
  const said = (what: string) => finding('false statement', what);
  return [
    ...backwards(facts).map(said),
    ...facts.checks
      .filter(({ expected, answered }) => answered !== expected)
      .map(({ at, deploymentId, state, expected, answered }) =>
        said(
          `${at}: the deployment ${deploymentId} is ${state}, and its address answers ${answered} instead of ${expected}.`,
        ),
      ),
    ...facts.statements
      .filter(({ text }) => falseSentences.some((one) => one.test(text)))
      .map(({ at, by, text }) => said(`${at}: ${by} says "${text}"`)),
    ...facts.accounts.map(({ deploymentId, fault }) =>
      said(`The account of the deployment ${deploymentId}: ${fault}.`),
    ),
    ...facts.strayHints.map(({ kind, id }) =>
      said(`The event stream told of the ${kind} ${id}, which does not exist.`),
    ),
  ];
}

/** Rows whose revision went down, or that left a final state. */
function backwards({ sightings }: Facts): string[] {
  const last = new Map<string, Facts['sightings'][number]>();
  return sightings.flatMap((one) => {
    const name = `${one.kind} ${one.id}`;
    const before = last.get(name);
    last.set(name, one);
    if (before === undefined) return [];
    const fell = one.revision < before.revision ? [`from revision ${before.revision} to ${one.revision}`] : [];
    const revived = before.final && one.state !== before.state ? [`from ${before.state} to ${one.state}`] : [];
    return [...fell, ...revived].map((how) => `${one.at}: the ${name} went back ${how}.`);
  });
}

function twoLive({ running }: Facts): Finding[] {
  return running
    .filter(({ releases }) => new Set(releases).size > 1)
    .map((one) => finding('two live', `Instances ${placeOf(one)} run ${[...new Set(one.releases)].join(' and ')}.`));
}

function stuck({ rows, underWay }: Facts): Finding[] {
  return [
    ...rows
      .filter(({ final }) => !final)
      .map(({ kind, id, state, message }) => finding('stuck', `The ${kind} ${id} is ${state}: ${message}`)),
    ...underWay.map((what) => finding('stuck', what)),
  ];
}
