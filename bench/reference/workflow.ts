/** The least of a workflow. */
export async function nothing(): Promise<void> {}
