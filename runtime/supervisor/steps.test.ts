import { expect, test } from 'vitest';
import { runSteps, type Step } from './steps.ts';

/** Steps that end when they are told to, and what began so far. */
function controlled<Name extends string>(needs: Record<Name, NoInfer<Name>[]>) {
  const began: Name[] = [];
  const gates = new Map<Name, PromiseWithResolvers<void>>();
  const steps = {} as Record<Name, Step<Name>>;
  for (const name of Object.keys(needs) as Name[]) {
    const gate = Promise.withResolvers<void>();
    gates.set(name, gate);
    steps[name] = {
      needs: needs[name],
      run: () => {
        began.push(name);
        return gate.promise;
      },
    };
  }
  const gate = (name: Name) => gates.get(name) ?? Promise.withResolvers<void>();
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { steps, began, gate, settled };
}

const never = new AbortController().signal;

test('a step begins when all that it needs is done, and not before', async () => {
  const { steps, began, gate, settled } = controlled({
    api: ['tables', 'certificates'],
    server: [],
    tables: ['server'],
    certificates: ['server'],
  });
  const done = runSteps(steps, never);
  await settled();
  expect(began).toEqual(['server']);
  gate('server').resolve();
  await settled();
  expect(began.toSorted()).toEqual(['certificates', 'server', 'tables']);
  gate('tables').resolve();
  await settled();
  expect(began).not.toContain('api');
  gate('certificates').resolve();
  await settled();
  expect(began).toContain('api');
  gate('api').resolve();
  await done;
});

test('a failure is thrown, and nothing begins after it', async () => {
  const { steps, began, gate, settled } = controlled({ left: [], right: [], after: ['right'] });
  const done = runSteps(steps, never);
  await settled();
  gate('left').reject(new Error('no server'));
  await expect(done).rejects.toThrow('no server');
  gate('right').resolve();
  await settled();
  expect(began).toEqual(['left', 'right']);
});

test('nothing begins after a stop', async () => {
  const { steps, began, gate, settled } = controlled({ first: [], second: ['first'] });
  const stopping = new AbortController();
  const done = runSteps(steps, stopping.signal);
  await settled();
  stopping.abort(new Error('stopped'));
  gate('first').resolve();
  await expect(done).rejects.toThrow('stopped');
  expect(began).toEqual(['first']);
});

test('steps that need each other are a defect', async () => {
  const { steps } = controlled({ hen: ['egg'], egg: ['hen'] });
  await expect(runSteps(steps, never)).rejects.toThrow('hen → egg → hen');
});
