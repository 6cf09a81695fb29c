import { type ActorsGround, type DeletedOrganization, deletedOrganization } from './actors.ts';

/** Deletions whose actor has been started, and the actor as Temporal knows it. */
export function begunDeletions(ground: () => ActorsGround) {
  async function begin(): Promise<DeletedOrganization> {
    const { database, delivery } = ground();
    const deletion = await deletedOrganization(database);
    await delivery.deliver(deletion.actor);
    return deletion;
  }
  const handle = ({ actor }: DeletedOrganization) => ground().temporal.client.workflow.getHandle(actor);
  return { begin, handle };
}
