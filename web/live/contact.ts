import { backOff } from '../../domain/back-off.ts';
import { type SilenceWatch, silence } from './silence.ts';

const probeMillis = 4_000;
const betweenProbes = { first: 500, longest: 8_000 };
const recovered = new Set<() => void>();

/** Calls back when requests are answered again after one was not. */
export function onRecovery(callback: () => void): void {
  recovered.add(callback);
}

/** Hosts of repositories are asked, which takes as long as those take: the page that waits for them says so itself. */
const asksHosts = /^\/trpc\/(?:repositoryConfig\.\w+|gitConnections\.(?:branches|repositories))(?:\?|$)/;

/** The kind of silence that a late answer to this request is; none where the page tells of it itself. */
export function silenceOf(url: string, method = 'GET'): 'question' | 'change' | undefined {
  if (asksHosts.test(url)) return undefined;
  return method === 'GET' ? 'question' : 'change';
}

/** A request whose silence is told: an answer that is late, or none at all. */
export async function askedInSight(url: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const kind = silenceOf(String(url), init.method);
  return kind === undefined ? answerOf(url, init) : silence.waiting(kind, answerOf(url, init));
}

async function answerOf(url: RequestInfo | URL, init: RequestInit): Promise<Response> {
  try {
    const answer = await ((await early(url)) ?? fetch(url, inTime(init)));
    if (!isAway(answer.status)) answered(silence);
    else void failed(silence);
    return answer;
  } catch (error) {
    // A page that was left needs no answer any more.
    if (init.signal?.aborted !== true) void failed(silence);
    throw error;
  }
}

declare global {
  /** The first question for the session, from web/public/theme.js. */
  var earlySession: Promise<Response> | undefined;
}

/** The answer to a question that the document asked before there were scripts; undefined where it got none. */
async function early(url: RequestInfo | URL): Promise<Response | undefined> {
  const asked = globalThis.earlySession;
  if (asked === undefined || String(url) !== '/trpc/auth.session') return undefined;
  globalThis.earlySession = undefined;
  return await asked.catch(() => undefined);
}

/** A proxy answers so while the control plane is away. */
function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** The control plane answers or refuses within 30 seconds; a longer wait means a lost connection. */
const answerMillis = 45_000;

function inTime(init: RequestInit): RequestInit {
  const late = AbortSignal.timeout(answerMillis);
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, late]) : late };
}

function answered(watch: SilenceWatch): void {
  if (!watch.failing) return;
  watch.requestFailed(false);
  for (const callback of recovered) callback();
}

/** Nothing else may be asked for a while, so the end of the silence is looked for. */
async function failed(watch: SilenceWatch): Promise<void> {
  if (watch.failing) return;
  watch.requestFailed(true);
  for (let probes = 1; watch.failing; probes += 1) {
    await new Promise((resolve) => setTimeout(resolve, backOff(probes, betweenProbes)));
    if (!watch.failing) return;
    const status = await fetch('/api/v1/version', {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(probeMillis),
    }).then(
      (answer) => answer.status,
      () => 503,
    );
    if (!isAway(status)) answered(watch);
  }
}

/** The browser tells at once when the machine loses its network. */
export function watchNetwork(): void {
  const look = () => silence.offline(!navigator.onLine);
  window.addEventListener('offline', look);
  window.addEventListener('online', look);
  look();
}
