// Twelve frameworks as their own documentation sets them up, each with one page that says hello.

export interface Framework {
  name: string;
  packages: string[];
  /** By path. */
  files: Record<string, string>;
  /** The script `start` of package.json. */
  start: string;
  /** The words behind `nsv start` that run its server without npm. */
  own: string[];
  /** A program in node_modules/.bin, with its arguments. */
  build?: [string, ...string[]];
  /** Its package.json has `"type": "module"`. */
  isModule?: boolean;
  /** Where it says hello. Default: /. */
  path?: string;
  env?: Record<string, string>;
}

const plain = { start: 'node server.js', own: ['server.js'] };

export const frameworks: Framework[] = [
  {
    ...plain,
    name: 'Express',
    packages: ['express@5'],
    files: {
      'server.js': `const app = require('express')();
app.get('/', (request, response) => response.send('hello'));
app.listen(process.env.PORT);`,
    },
  },
  {
    ...plain,
    name: 'Koa',
    packages: ['koa'],
    files: {
      'server.js': `const Koa = require('koa');
new Koa().use((context) => { context.body = 'hello'; }).listen(process.env.PORT);`,
    },
  },
  {
    ...plain,
    name: 'Hono',
    packages: ['hono', '@hono/node-server'],
    isModule: true,
    files: {
      'server.js': `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
const app = new Hono();
app.get('/', (context) => context.text('hello'));
serve({ fetch: app.fetch, port: Number(process.env.PORT) });`,
    },
  },
  {
    ...plain,
    name: 'Fastify',
    packages: ['fastify'],
    files: {
      'server.js': `const fastify = require('fastify')({ logger: true });
fastify.get('/', async () => 'hello');
fastify.listen({ port: Number(process.env.PORT) });`,
    },
  },
  {
    ...plain,
    name: 'hapi',
    packages: ['@hapi/hapi'],
    files: {
      'server.js': `const server = require('@hapi/hapi').server({ port: process.env.PORT });
server.route({ method: 'GET', path: '/', handler: () => 'hello' });
server.start();`,
    },
  },
  {
    ...plain,
    name: 'Apollo Server',
    packages: ['@apollo/server', 'graphql'],
    isModule: true,
    path: '/?query=%7Bhello%7D',
    files: {
      'server.js': `import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
const server = new ApolloServer({
  typeDefs: 'type Query { hello: String }',
  resolvers: { Query: { hello: () => 'hello' } },
  csrfPrevention: false,
});
await startStandaloneServer(server, { listen: { port: Number(process.env.PORT) } });`,
    },
  },
  {
    name: 'NestJS',
    packages: [
      '@nestjs/cli',
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/platform-express',
      'reflect-metadata',
      'rxjs',
      'typescript@5',
      '@types/node',
    ],
    files: {
      'nest-cli.json': JSON.stringify({ collection: '@nestjs/schematics', sourceRoot: 'src' }),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          module: 'commonjs',
          target: 'es2022',
          outDir: './dist',
          rootDir: './src',
          emitDecoratorMetadata: true,
          experimentalDecorators: true,
          types: ['node'],
          skipLibCheck: true,
        },
        include: ['src'],
      }),
      'src/main.ts': `import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Controller()
class AppController {
  @Get()
  hello(): string {
    return 'hello';
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}
bootstrap();`,
    },
    build: ['nest', 'build'],
    start: 'node dist/main',
    own: ['dist/main.js'],
  },
  {
    name: 'Next.js',
    packages: ['next@15', 'react@19', 'react-dom@19'],
    files: {
      'next.config.mjs': `export default { output: 'standalone' };`,
      'app/layout.js': `export default ({ children }) => <html><body>{children}</body></html>;`,
      'app/page.js': `export const dynamic = 'force-dynamic';
export default () => <p>hello</p>;`,
    },
    build: ['next', 'build'],
    start: 'next start',
    own: ['.next/standalone/server.js'],
    env: { NEXT_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'Nuxt',
    packages: ['nuxt@4', 'vue', 'vue-router'],
    files: {
      'app/app.vue': '<template><p>hello</p></template>',
      'nuxt.config.ts': `export default { compatibilityDate: '2025-07-15', telemetry: false };`,
    },
    build: ['nuxt', 'build'],
    start: 'node .output/server/index.mjs',
    own: ['.output/server/index.mjs'],
    isModule: true,
    env: { NUXT_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'React Router',
    packages: [
      'react-router@7.18.4',
      '@react-router/node@7.18.4',
      '@react-router/serve@7.18.4',
      '@react-router/express@7.18.4',
      '@react-router/dev@7.18.4',
      'express@5',
      'isbot',
      'react@19',
      'react-dom@19',
      'vite@7',
    ],
    isModule: true,
    files: {
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite';
export default { plugins: [reactRouter()] };`,
      'app/routes.js': `import { index } from '@react-router/dev/routes';
export default [index('home.jsx')];`,
      'app/root.jsx': `import { Outlet, Scripts } from 'react-router';
export default () => <html><body><Outlet /><Scripts /></body></html>;`,
      'app/home.jsx': `export default () => <p>hello</p>;`,
      'server.js': `import { createRequestHandler } from '@react-router/express';
import express from 'express';
const app = express();
app.use(createRequestHandler({ build: await import('./build/server/index.js') }));
app.listen(process.env.PORT);`,
    },
    build: ['react-router', 'build'],
    start: 'react-router-serve ./build/server/index.js',
    own: ['server.js'],
  },
  {
    name: 'Astro',
    packages: ['astro@5', '@astrojs/node@9'],
    isModule: true,
    files: {
      'astro.config.mjs': `import node from '@astrojs/node';
export default { output: 'server', adapter: node({ mode: 'standalone' }) };`,
      'src/pages/index.astro': '<p>hello</p>',
    },
    build: ['astro', 'build'],
    start: 'node ./dist/server/entry.mjs',
    own: ['dist/server/entry.mjs'],
    env: { ASTRO_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'SvelteKit',
    packages: ['@sveltejs/kit@2', '@sveltejs/adapter-node@5', '@sveltejs/vite-plugin-svelte@6', 'svelte@5', 'vite@7'],
    isModule: true,
    files: {
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';
export default { plugins: [sveltekit()] };`,
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node';
export default { kit: { adapter: adapter() } };`,
      'src/app.html': '<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+page.svelte': '<p>hello</p>',
    },
    build: ['vite', 'build'],
    start: 'node build',
    own: ['build/index.js'],
  },
];
