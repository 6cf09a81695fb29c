import { z } from 'zod';
import { clearCanvas as clear, placeOnCanvas } from '../../db/services/canvas.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { theProject } from '../projects/project.ts';

const coordinate = z.number().min(-1_000_000).max(1_000_000);

export const setCanvas = operation({
  method: 'PUT',
  url: '/api/v1/projects/{id}/canvas',
  summary: 'Place services on the canvas of a project',
  description: 'Services that are not named stay where they are.',
  role: 'deployer',
  projectTokens: 'allowed',
  of: theProject,
  body: z.strictObject({
    positions: z.array(z.strictObject({ serviceId: z.guid().toLowerCase(), x: coordinate, y: coordinate })).max(10_000),
  }),
  async handle({ found: project, body, effect }) {
    const strangers = new Set(await placeOnCanvas(effect, project, body.positions));
    const message = 'is no service of this project';
    const faults = body.positions.flatMap(({ serviceId: value }, index) =>
      strangers.has(value) ? [{ location: `body.positions[${index}].serviceId`, message, value }] : [],
    );
    if (faults.length > 0) throw invalidFields(faults);
  },
});

export const clearCanvas = operation({
  method: 'DELETE',
  url: '/api/v1/projects/{id}/canvas',
  summary: 'Forget where the services of a project were placed',
  role: 'deployer',
  projectTokens: 'allowed',
  of: theProject,
  handle: async ({ found, effect }) => await clear(effect, found),
});
