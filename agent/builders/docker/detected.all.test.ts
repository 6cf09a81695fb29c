import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../machine/test-ground.ts';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../../../test/agents/docker-engine.ts';
import { importBase, withNode } from '../../../test/builders/base-image.ts';
import { app, builderContract } from '../../../test/builders/builder-contract.ts';
import { type BuilderGround, builderGround } from '../../../test/builders/builder-ground.ts';
import { buildkitCanBeMade, buildkitMillis, loadBuildkit } from '../../../test/builders/buildkit-image.ts';
import { imageContent } from '../../../test/builders/image-content.ts';
import { authority } from '../../../test/ground/authority.ts';
import { type RegistryWorld, registryWorld } from '../../../test/registry/registry-world.ts';
import { notRun } from '../../../test/run/not-run.ts';

const goAt = '/usr/local/go';
if (!existsSync(goAt)) notRun('Go on an engine', `install Go at ${goAt}`);

describe.runIf(dockerCanRun() && buildkitCanBeMade())('a source without a Dockerfile, on an engine', () => {
  let engine: DockerEngine;
  let world: RegistryWorld;
  let ground: BuilderGround;

  beforeAll(async () => {
    engine = await dockerEngine();
    await loadBuildkit(engine.socket);
    world = await registryWorld();
    ground = await builderGround(world, {}, engine.socket);
    await importBase(engine.socket, 'node:24-slim', withNode());
  }, buildkitMillis);
  afterAll(async () => {
    await ground?.close();
    await world?.close();
    await engine?.stop();
  });

  builderContract('docker', () => ground);

  test('the Dockerfile that is made is shown, and variables are in no layer of the image', async () => {
    const body = { variables: { PLAIN: 'plain value', TOKEN: 'open-sesame-123' }, secrets: ['TOKEN'] };
    const source = app('node -e "if (process.env.TOKEN.length !== 15) process.exit(1)"');
    const { result, log, digest } = await ground.build(source, { body });
    expect(result, log).toEqual({ outcome: 'done', exitCode: 0 });
    expect(log).toContain('FROM node:24-slim AS tools\n');
    expect(log).toMatch(/#\d+ \[build \d\/\d\] build: npm run build\n/);
    const { text } = await imageContent(world, digest);
    for (const value of ['plain value', 'open-sesame-123', 'ballast-variables']) expect(text).not.toContain(value);
    // Another value builds anew, and the image is the same.
    const other = await ground.build(source, {
      body: { ...body, variables: { ...body.variables, TOKEN: 'sesame-open-123' } },
    });
    expect(other.log).not.toMatch(/npm run build\n#\d+ CACHED/);
    expect(other.digest).toBe(digest);
  });

  test('commands trust the authorities of the agent besides the usual ones, and have its variables, and no layer has either', async () => {
    const directory = temporaryFolder();
    const { ca } = await authority();
    const [, line = ''] = ca.split(/\r?\n/);
    writeFileSync(join(directory, 'ca.pem'), ca);
    const environment = { https_proxy: 'http://proxy.example.com:3128', GREETING: 'of the agent' };
    const more = { caFile: join(directory, 'ca.pem'), environment };
    const trusting = await builderGround(world, more, engine.socket);
    try {
      const told = [
        'const { SSL_CERT_FILE, PIP_CERT, CARGO_HTTP_CAINFO, https_proxy, GREETING } = process.env;',
        "const tls = require('tls'), text = require('fs').readFileSync(SSL_CERT_FILE, 'latin1').replace(/\\s/g, '');",
        `if (!text.includes('${line}') || PIP_CERT !== SSL_CERT_FILE || CARGO_HTTP_CAINFO !== SSL_CERT_FILE) process.exit(3);`,
        `if (!tls.getCACertificates().some((one) => one.replace(/\\s/g, '').includes('${line}'))) process.exit(4);`,
        "if (text.split('BEGINCERTIFICATE').length <= tls.rootCertificates.length) process.exit(5);",
        'console.log(https_proxy, GREETING);',
      ];
      const files = app('node told.js', { 'told.js': told.join('\n') });
      const variables = { https_proxy: 'http://elsewhere.example.com', GREETING: 'of the service' };
      const { result, log, digest } = await trusting.build(files, { body: { variables } });
      expect(result, log).toEqual({ outcome: 'done', exitCode: 0 });
      // The only way out is the agent's own proxy.
      expect(log).toContain('http://127.0.0.1:3128 of the agent\n');
      const { text, config } = await imageContent(world, digest);
      // Twice in the source.
      expect(text.split(line)).toHaveLength(3);
      expect(JSON.stringify(config)).not.toMatch(/certificates|proxy/);

      const Dockerfile =
        'FROM node:24-slim\nRUN --mount=type=secret,id=ballast-certificates cat /run/secrets/ballast-certificates\n';
      const own = await trusting.build({ Dockerfile }, { body: { builder: 'dockerfile' } });
      expect(own.log).toContain(line);
    } finally {
      await trusting.close();
    }
  });

  test('pages have the same digest with the cache and without', async () => {
    const files = { 'index.html': '<h1>Hello</h1>' };
    const one = await ground.build(files);
    expect(one.result, one.log).toEqual({ outcome: 'done', exitCode: 0 });
    expect((await ground.build(files, { body: { organizationId: 'another' } })).digest).toBe(one.digest);
  });

  test.runIf(existsSync(goAt))('a program in Go has the same digest with the cache and without', async () => {
    await importBase(engine.socket, 'golang:1.21', { folders: { 'usr/local/go': goAt } });
    await importBase(engine.socket, 'debian:stable-slim');
    const files = {
      'go.mod': 'module example.com/hello\n\ngo 1.21\n',
      'main.go': 'package main\n\nfunc main() { println("hello") }\n',
    };
    const one = await ground.build(files);
    expect(one.result, one.log).toEqual({ outcome: 'done', exitCode: 0 });
    expect((await ground.build(files)).digest).toBe(one.digest);
    expect((await ground.build(files, { body: { organizationId: 'another' } })).digest).toBe(one.digest);
  });
});
