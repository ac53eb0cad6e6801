"""nginx with nchan, which gives messages to browsers as Server-Sent Events."""
import pathlib

from shared.processes import LAST_CORE, Server, free_port

from ..rows import NotMeasured, require

MODULE = "/usr/lib/nginx/modules/ngx_nchan_module.so"


class Nchan(Server):
    """A single process, without a log of requests. /publish takes the messages, /events gives them."""

    def __init__(self, bench):
        program = require("nginx", "nginx", "/usr/sbin/nginx")
        if not pathlib.Path(MODULE).exists():
            raise NotMeasured("nchan is missing (Debian package libnginx-mod-nchan)")
        bench.version("nginx", [program, "-v"])
        bench.version("nchan", ["dpkg-query", "-W", "-f", "${Version}", "libnginx-mod-nchan"])
        folder, port = bench.new_folder(bench.folder), free_port()
        configuration = pathlib.Path(folder, "nginx.conf")
        configuration.write_text(f"""
load_module {MODULE};
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr error;
events {{ worker_connections 12000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests 1000000;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location = /publish {{ nchan_publisher; nchan_channel_id changes; }}
        location = /events {{ nchan_subscriber eventsource; nchan_channel_id changes; }}
    }}
}}
""", encoding="utf-8")
        super().__init__([program, "-p", folder, "-e", "stderr", "-c", configuration], f"127.0.0.1:{port}", core=LAST_CORE,
                         folder=bench.folder)
