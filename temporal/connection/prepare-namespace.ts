import { setTimeout as pause } from 'node:timers/promises';
import proto from '@temporalio/proto';
import type { Temporal } from './connect.ts';
import { hasStatus } from './grpc-status.ts';
import { searchAttributeNames } from './search-attributes.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;
const retentionDays = 30;
const retention = proto.google.protobuf.Duration.fromObject({ seconds: retentionDays * 86_400 });

/** A namespace that we may not make ready ourselves. The message says what its operator has to do. */
export class NamespaceNotReady extends Error {
  override readonly name = 'NamespaceNotReady';
}

/**
 * Makes the namespace what we need it to be and waits until it is usable; answers its id. Any number of processes may
 * do so at once. Temporal Cloud gives nobody the rights for this, so there the namespace has to be right already.
 */
export async function prepareNamespace(temporal: Temporal, signal?: AbortSignal): Promise<string> {
  const id = await ensureNamespace(temporal, signal);
  await ensureSearchAttributes(temporal, signal);
  return id;
}

async function ensureNamespace(temporal: Temporal, signal?: AbortSignal): Promise<string> {
  const { connection, namespace } = temporal;
  const found = await describe(temporal);
  if (!found) {
    await connection.workflowService
      .registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention })
      .catch((error: unknown) => {
        if (hasStatus(error, 'alreadyExists')) return;
        throw refusal(
          error,
          `Temporal has no namespace ${namespace} and does not allow creating it; create it yourself.`,
        );
      });
  } else if (found.retentionDays !== retentionDays) {
    await connection.workflowService
      .updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } })
      // Only shorter memory is lost: histories are archived when their actor ends.
      .catch(ignoreRefusal);
  }
  return until(signal, async () => (await describe(temporal))?.id);
}

async function describe({
  connection,
  namespace,
}: Temporal): Promise<{ id: string; retentionDays: number } | undefined> {
  try {
    const { namespaceInfo, config } = await connection.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id;
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    return id ? { id, retentionDays: seconds / 86_400 } : undefined;
  } catch (error) {
    if (hasStatus(error, 'notFound')) return undefined;
    throw error;
  }
}

async function ensureSearchAttributes(temporal: Temporal, signal?: AbortSignal): Promise<void> {
  if (await searchable(temporal)) return;
  await until(signal, () => addSearchAttributes(temporal));
  await until(signal, async () => (await searchable(temporal)) || undefined);
}

/** Answers nothing while the server has not yet heard of a namespace that was just made. */
async function addSearchAttributes({ connection, namespace }: Temporal): Promise<true | undefined> {
  const type = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributeNames.filter((name) => !(name in customAttributes));
    const all = Object.fromEntries(missing.map((name) => [name, type]));
    if (missing.length > 0) await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: all });
    return true;
  } catch (error) {
    if (hasStatus(error, 'notFound')) return undefined;
    // Another process adds them at the same time: looking again shows whether any is still missing.
    if (hasStatus(error, 'alreadyExists')) return undefined;
    const wanted = searchAttributeNames.join(', ');
    throw refusal(
      error,
      `Temporal does not allow adding search attributes to the namespace ${namespace}; add these of type Keyword yourself: ${wanted}.`,
    );
  }
}

/** Servers cache what a namespace has, so asking for all attributes at once is the only proof that they are usable. */
async function searchable({ connection, namespace }: Temporal): Promise<boolean> {
  const query = searchAttributeNames.map((name) => `${name} = 'none'`).join(' AND ');
  return connection.workflowService.countWorkflowExecutions({ namespace, query }).then(
    () => true,
    (error: unknown) => {
      if (hasStatus(error, 'unavailable', 'deadlineExceeded')) throw error;
      return false;
    },
  );
}

function refusal(error: unknown, sentence: string): unknown {
  return isRefusal(error) ? new NamespaceNotReady(sentence, { cause: error }) : error;
}

function ignoreRefusal(error: unknown): void {
  if (!isRefusal(error)) throw error;
}

function isRefusal(error: unknown): boolean {
  return hasStatus(error, 'permissionDenied', 'unauthenticated', 'unimplemented');
}

/** A server learns of a new namespace or attribute within some seconds; past a minute something else is wrong. */
async function until<T>(signal: AbortSignal | undefined, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) {
      throw new NamespaceNotReady(
        'The namespace in Temporal was not usable within a minute; check the logs of the Temporal server.',
      );
    }
    await pause(100, undefined, signal ? { signal } : {});
  }
}
