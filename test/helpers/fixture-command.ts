// A command that needs a daemon, launches the program named by its first argument if there is none, and says which pid it met.
import { launchDaemon } from '../../src/client/daemon-launch.ts';
import { homePaths } from '../../src/shared/paths.ts';

const { hello, client, close } = await launchDaemon(homePaths(), { main: process.argv[2]! });
await client.ping({});
process.stdout.write(`${hello.pid}\n`);
close();
