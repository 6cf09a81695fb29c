import { request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { metricsToken } from '../../db/keys/metrics-token.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { isOwnDirectory } from '../../machine/own-directory.ts';

type Place = Pick<Settings, 'WORKER_METRICS_URL' | 'WORKER_SOCKET' | 'METRICS_TOKEN_FILE'>;

const longest = 2_000;

/** The worker's metrics, if a worker is named. A worker that is down shows by their absence. */
export async function workerMetrics(place: Place): Promise<string> {
  const { WORKER_METRICS_URL: url, WORKER_SOCKET: socket } = place;
  const signal = AbortSignal.timeout(longest);
  if (url !== undefined) return await fromAddress(url, place.METRICS_TOKEN_FILE, signal).catch(() => '');
  // Elsewhere somebody else could tell what the worker's metrics are.
  if (socket === undefined || !isOwnDirectory(dirname(socket))) return '';
  return await fromSocket(socket, signal).catch(() => '');
}

async function fromAddress(url: string, tokenFile: string, signal: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer ${await metricsToken(tokenFile)}` };
  const answer = await fetch(url, { headers, signal, redirect: 'error' });
  return answer.ok ? await answer.text() : '';
}

async function fromSocket(socketPath: string, signal: AbortSignal): Promise<string> {
  const asked = request({ socketPath, path: '/metrics', agent: false, signal });
  const answered = new Promise<string>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (answer) => {
      text(answer).then((body) => resolve(answer.statusCode === 200 ? body : ''), reject);
    });
  });
  asked.end();
  return await answered;
}
