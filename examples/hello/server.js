import { createServer } from 'node:http';

const server = createServer((request, response) => {
  console.log(request.method, request.url);
  response.setHeader('content-type', 'text/plain');
  response.end(`Hello from ${process.env.GREETER ?? 'Ballast'}\n`);
});

// Where to listen is told; when asked to end, open requests are answered first.
server.listen(Number(process.env.PORT ?? 8080), () => console.log('listening'));
process.on('SIGTERM', () => server.close());
