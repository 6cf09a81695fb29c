import type { Example, ExampleGround } from './example.ts';

/** Examples of projects and of what is in them. */
export function deliveryExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const project = async () => {
    const body = { name: `Project ${crypto.randomUUID()}` };
    const made = await api.call('POST', '/api/v1/projects', { as: ours.tokens.admin, body });
    return { id: (made.body.project as { id: string }).id };
  };
  const environment = async () => {
    const { id: projectId } = await project();
    const body = { name: 'Made', production: false };
    const made = await api.call('POST', `/api/v1/projects/${projectId}/environments`, { as: ours.tokens.admin, body });
    return { id: String(made.body.id), projectId };
  };
  return {
    'projects.list': { prepare: project },
    'projects.create': { body: () => ({ name: 'Made', description: 'For the sweep.' }) },
    'projects.get': { prepare: project },
    'environments.list': { prepare: project },
    'environments.create': { prepare: project, body: () => ({ name: 'Preview', production: false }) },
    'environments.get': { prepare: environment },
  };
}
