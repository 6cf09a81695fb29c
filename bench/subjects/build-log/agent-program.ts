import { setTimeout as pause } from 'node:timers/promises';
import { BuildLog } from '../../../agent/builders/build-log.ts';
import { Delivery } from '../../../agent/commands/delivery.ts';
import { Journal } from '../../../agent/journal/journal.ts';
import { Client } from '../../../agent/link/client.ts';
import { maskOf } from '../../../domain/variables/mask.ts';
import type { BuildBody } from '../../../protocol/build.ts';
import { answerReports } from '../../engine/clients.ts';
import { lineOf } from './lines.ts';

/** One agent that builds: its journal, its log and its link are the real ones, the program that is built is this one. */
export interface BuildingAgent {
  url: string;
  credential: string;
  incarnation: number;
  directory: string;
  id: string;
  body: BuildBody;
  secrets: readonly string[];
  perSecond: number;
  seconds: number;
}

const tickMillis = 10;

async function main(given: BuildingAgent): Promise<void> {
  const { url, credential, incarnation, directory, id, body, secrets, perSecond, seconds } = given;
  const log = { info: () => undefined, warn: (text: string) => void process.stderr.write(`${text}\n`) };
  const client = new Client({ url, credential: () => credential });
  client.incarnation = incarnation;
  const journal = new Journal(directory, log as ConstructorParameters<typeof Journal>[1]);
  journal.receive({ id, attempt: 1, body });
  journal.start(id);
  const delivery = new Delivery(
    journal,
    client,
    new AbortController().signal,
    log as ConstructorParameters<typeof Delivery>[3],
  );
  const spool = journal.spool(id);
  const buildLog = new BuildLog({
    mask: maskOf(secrets),
    told(piece) {
      spool.add('stdout', piece);
      delivery.deliver(id);
    },
  });
  let written = 0;
  answerReports(() => ({ written, over: written >= perSecond * seconds }));
  const began = performance.now();
  while (written < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - began) / 1_000) * perSecond));
    let text = '';
    for (; written < due; written += 1) text += `${lineOf(written + 1, performance.timeOrigin + performance.now())}\n`;
    if (text !== '') buildLog.write('stdout', Buffer.from(text));
    await pause(tickMillis);
  }
  buildLog.endStep();
}

await main(JSON.parse(process.argv[2] ?? '{}'));
