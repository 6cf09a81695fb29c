import type { Example, ExampleGround } from './example.ts';

/** Examples of deletions with a clock: of environments and projects, and what becomes of them. */
export function deletionExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const as = ours.tokens.admin;
  const made = async () => {
    const answer = await api.call('POST', '/api/v1/projects', { as, body: { name: `Project ${crypto.randomUUID()}` } });
    const { project, environments } = answer.body as {
      project: { id: string; name: string };
      environments: { id: string }[];
    };
    return { id: project.id, name: project.name, environmentId: environments[1]?.id ?? '' };
  };
  const project = async () => ({ id: (await made()).id });
  const environment = async () => ({ id: (await made()).environmentId });
  const deleted = async () => {
    const { id, name } = await made();
    await api.call('DELETE', `/api/v1/projects/${id}`, { as });
    return { kind: 'project', id, name };
  };
  return {
    'projects.delete': { prepare: project },
    'projects.deletionImpact': { prepare: project },
    'environments.delete': { prepare: environment },
    'environments.deletionImpact': { prepare: environment },
    'deletions.list': { prepare: deleted },
    'deletions.restore': { prepare: deleted },
    'deletions.purge': {
      as: (seeded) => seeded.sessions.admin,
      prepare: deleted,
      body: ({ name }) => ({ confirm: name }),
    },
  };
}
