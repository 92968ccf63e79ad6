# Jetty unpacks and compiles in its base folder, so that lies under /tmp, the
# only place that a container may write to. There is no request log without
# its module, and Jetty never cuts keep-alive after a number of requests.
set -e
program=$(dirname "$0")
base=/tmp/jetty
mkdir -p $base/webapps/root/WEB-INF
cp "$program/hello.txt" $base/webapps/root/
cp "$program/hello.jsp" $base/webapps/root/index.jsp
cd $base
modules=http,deploy,jsp
if [ -f "$JETTY_HOME/modules/ee10-deploy.mod" ]; then modules=http,ee10-deploy,ee10-jsp; fi # from Jetty 12 on
exec java -Djava.io.tmpdir=/tmp -jar "$JETTY_HOME/start.jar" "jetty.home=$JETTY_HOME" "jetty.base=$base" \
  "--module=$modules" jetty.http.host=127.0.0.1 "jetty.http.port=$PORT"
