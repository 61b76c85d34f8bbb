const service = process.env.SERVICE ?? 'http://localhost:4106';

export default { server: { proxy: { '/v2/': { target: service } } } };
