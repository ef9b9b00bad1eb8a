// `nsv/config`, for config files. CommonJS, because both kinds of module can load it.
'use strict';

exports.defineConfig = (config) => config;
