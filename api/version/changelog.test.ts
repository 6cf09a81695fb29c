import { expect, test } from 'vitest';
import { readChangelog } from './operations.ts';

const markdown = `# Changelog

Prose.

## [Unreleased]

### Added
- Not yet.

## [1.1.0] - 2026-03-04

### Added

- **teams**: A first line
  that goes on.
- Without a scope.

### Security

* **api:** Mended.

### Prose that is no kind

- Ignored.

## 1.0.0

[1.1.0]: https://example.com/1.1.0
`;

test('releases, sections, scopes, links', () => {
  expect(readChangelog(markdown, '1.1.0')).toEqual({
    current: '1.1.0',
    releases: [
      {
        version: '1.1.0',
        date: '2026-03-04',
        url: 'https://example.com/1.1.0',
        security: true,
        sections: [
          {
            kind: 'added',
            items: [{ scope: 'teams', text: 'A first line that goes on.' }, { text: 'Without a scope.' }],
          },
          { kind: 'security', items: [{ scope: 'api', text: 'Mended.' }] },
        ],
      },
      { version: '1.0.0', date: '', url: '', security: false, sections: [] },
    ],
  });
});
