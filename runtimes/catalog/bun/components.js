console.log(JSON.stringify(process.versions));
