import { command } from '../../engine/command.ts';
import { eventsOption } from '../../engine/progress.ts';
import { Rest, restOptions } from '../../engine/rest.ts';
import { type Build, followBuild, logBeside } from '../follow-build.ts';
import { followOptions, seeBuild } from './see-build.ts';

const one = (id: string) => `/builds/${encodeURIComponent(id)}`;

export const buildShow = command({
  summary: 'Shows a build: its source, steps, image and what became of it',
  usage: 'BUILD [--json]',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    await seeBuild(rest, await rest.call<Build>('GET', one(id)), { follow: false, json: given.json });
  },
});

export const buildLog = command({
  summary: 'Prints the log of a build, until it is over',
  usage: 'BUILD [--json]',
  details: 'With --json the build is the result, and its log is on the standard error.',
  words: { least: 1, most: 1 },
  options: { ...restOptions, ...eventsOption },
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    const { json = false } = given;
    const build = await rest.call<Build>('GET', one(id));
    const log = json ? logBeside : (line: string) => void process.stdout.write(`${line}\n`);
    const ended = await followBuild(rest, build.id, new AbortController().signal, { json, log });
    if (json) process.stdout.write(`${JSON.stringify(ended, undefined, 2)}\n`);
  },
});

export const buildCancel = command({
  summary: 'Cancels a build',
  usage: 'BUILD [--json]',
  details: 'One that is queued ends at once. Of one that is running the agent ends all processes.',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    await seeBuild(rest, await rest.call<Build>('POST', `${one(id)}/cancel`), { follow: false, json: given.json });
  },
});

export const buildApprove = command({
  summary: 'Approves that a build sees the build variables of a production environment',
  usage: 'BUILD [--follow] [--json]',
  details: `It waits for that, since its source is an upload, a tag, or a commit that is not the head of the connected branch, and any command of
it could tell what it is given. An admin or owner approves it who has not requested it; an only one needs no approval.`,
  words: { least: 1, most: 1 },
  options: { ...restOptions, ...followOptions },
  run: async ({ follow: follows = false, ...given }, [id = '']) => {
    const rest = new Rest(given);
    const approved = await rest.call<Build>('POST', `${one(id)}/approve`);
    await seeBuild(rest, approved, { follow: follows, json: given.json });
  },
});

export const buildRetry = command({
  summary: 'Builds the same source again, with the settings of now',
  usage: 'BUILD [--follow] [--json]',
  words: { least: 1, most: 1 },
  options: { ...restOptions, ...followOptions },
  run: async ({ follow: follows = false, ...given }, [id = '']) => {
    const rest = new Rest(given);
    const made = await rest.call<Build>('POST', `${one(id)}/retry`);
    await seeBuild(rest, made, { follow: follows, json: given.json });
  },
});
