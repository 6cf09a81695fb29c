import { test } from 'vitest';
import { releasesOn } from '../../test/agents/release-commands.ts';

test('it runs once before its release, fails it by its exit or its time, and is ended when that is given up: processes', () =>
  releasesOn());
