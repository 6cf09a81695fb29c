import { describe } from 'vitest';
import { packRules } from '../../../test/registry/pack-rules.ts';

describe('a pack, on disk', () => packRules('disk'));
